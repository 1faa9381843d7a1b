"""The words behind each cue, by language; cues are named for what the sentence does.

Invariant: only function words and verbs of speech, decision, duty, ability and work stand
here; no name of a product, person or place. Entries are divided by commas; a trailing
``*`` stands for any ending.
"""

ENGLISH: dict[str, str] = {
    "absolute": "always, never, ever, at all times, under no circumstances, no exceptions, every time, strictly",
    "duty": "must, mandatory, required, requires, require, need to, needs to, needs, have to, has to, should, shall,"
    " only, ensure, make sure, remember to",
    "ban": "don't, dont, do not, mustn't, must not, shouldn't, should not, avoid, forbidden, prohibited, not allowed,"
    " off-limits, stop, refuse, not to, no more",
    "unable": "can't, cannot, can not, couldn't, doesn't, does not, isn't, aren't, won't, unable, unsupported,"
    " impossible, not supported, not available, unavailable, blocks, blocked, fails, breaks, rejects, rejected,"
    " ignores, ignored, limit, limits, limited, limitation, max, maximum, cap, caps, without",
    "cause": "because, caused, causes, cause, causing, root cause, due to, since, reason, reasons, why, culprit,"
    " turns out, turned out, so that, otherwise, leads to, led to, means that, triggered by",
    "lesson": "lesson, lessons, learned, learnt, learning, learnings, takeaway, takeaways, gotcha, gotchas, pitfall,"
    " pitfalls, quirk, quirks, caveat, caveats, trap, remember, postmortem, note to self, known issue,"
    " known limitation, operational note",
    "decide": "decided, decision, decisions, decide, chose, chosen, agreed, approved, locked, settled, adopted, verdict,"
    " going with, go with, went with, opted, rejected, parked, shelved, standardized, standardised, keep, stay,"
    " treat as, treated as, accepted risk, strategy",
    "wish": "prefers, prefer, preferred, preference, preferences, wants, wanted, likes, dislikes, hates, loves,"
    " insists, favourite, favorite, would like, doesn't want, happy with, interested in, not interested",
    "said": "asked, said, says, told, requested, clarified, confirmed, corrected, stated, instructed, reminded,"
    " explained, pointed out, warned, insisted, mentioned, directive, feedback, complained, flagged",
    "correct": "clarified, corrected, correction, actually, wrong, incorrect, incorrectly, mistaken, mistake, mistakes,"
    " assumed, contrary, misread, misunderstood, real reason, invalid, correct, outdated",
    "rule": "rule, rules, policy, policies, protocol, convention, conventions, guideline, guidelines, standard,"
    " standards, principle, principles, workflow, procedure, playbook, gate, guardrail, guardrails",
    "standing": "going forward, from now on, permanent, permanently, standing, default, defaults, by default,"
    " henceforth, whenever, long-term, durable, canonical, source of truth, future, every future, primary",
    "scope": "when, if, unless, until, before, after, whenever, except, while, during, for every, per, first",
    "contrast": "instead, not, rather, versus, vs, but, except, however, over, no",
    "retire": "retired, deprecated, no longer, replaced by, replaced, superseded, obsolete, sunset, discontinued,"
    " dropped, removed, gone, disabled",
    "fix": "workaround, workarounds, solution, solved, fix, fixes, fixed, remedy, mitigation, resolution",
    "place": "lives, located, location, stored, stores, path, host, hosted, runs, points to, served, resides, listens,"
    " port, endpoint, folder, directory, url, script, server, machine, container, volume, database, vault",
    "being": "is, are, means, equals, uses, has, owns, belongs, contains, includes, provides, supports, accepts,"
    " expects, works, returns, takes",
    "fault": "bug, bugs, issue, issues, problem, problems, error, errors, failure, failed, failing, broken, crash,"
    " crashes, crashed, symptom, incident, silently, missing, stale, mismatch",
    "how": "run, use, using, call, set, pass, invoke, restart, check, verify, then, command, flag, option, parameter,"
    " config, setting, field, key, schema, mode, token, syntax",
    "person": "he, she, his, her, partner, wife, husband, daughter, son, mother, father, brother, sister, friend,"
    " client, customer, boss, colleague, team, address, phone, email, birthday, timezone, time zone, account",
    "done": "done, complete, completed, finished, shipped, live, success, successful, successfully, ready, deployed,"
    " passed, passing, working, resolved, closed, merged, healthy, clean, ok, operational, green",
    "work": "created, updated, added, sent, ran, tested, verified, installed, built, committed, pushed,"
    " wrote, deleted, moved, reviewed, checked, investigated, implemented, configured, generated, saved,"
    " posted, uploaded, restarted, searched, read, found, started, refactored, renamed, cleaned, drafted, scheduled,"
    " noted, logged, reported, discussed, received, prepared, processed, enabled, migrated, synced, applied, audited,"
    " documented, published, extracted, rebuilt, rewrote, integrated, set up",
    "plan": "next, todo, to-do, to do, pending, open, waiting, will, plan, planned, plans, consider, considering, maybe,"
    " might, could, upcoming, later, follow-up, followup, backlog, tbd, eventually, propose, proposed, recommend,"
    " recommended, recommendation, idea, ideas, would",
    "now": "today, tomorrow, tonight, yesterday, currently, now, morning, afternoon, evening, this week, next week,"
    " for now, temporary, temporarily, so far, recently, latest, earlier, session, current",
    "measure": "total, count, tests, lines, files, commits, score, average, avg, tokens, percent, rows, items, results,"
    " increased, decreased, growth, size, duration, took, minutes, seconds, pages, words, views, clicks",
    "report": "status, summary, report, results, result, log, audit, files, commit, commits, changes, timeline,"
    " activity, heartbeat, checklist, metrics, highlights, overview, deliverables, achievements, output,"
    " update, updates, progress, notes, what happened, actions taken, action items",
    "research": "article, video, post, thread, paper, research, findings, trend, trends, market, competitor,"
    " competitors, industry, announced, launched, released, startup, benchmark, according to, newsletter",
    "doubt": "maybe, perhaps, might, probably, possibly, likely, seems, suspect, guess, unclear, unknown, hypothesis,"
    " appears",
    "self": "i, i'm, i've, my, me, we, our",
    "past": "was, were, had, did, been, got, became, came, went, showed, kept, made, gave, took, saw, caught, felt",
    "can": "can, may, able, allows, allow, lets, enables, possible",
    "general": "any, each, all, both, every, whole, entire, same, own, other, everything, anything, nothing",
    "external": "upstream, vendor, provider, api, service, plugin, browser, gateway, app, cli, platform, library, third-party,"
    " account, plan, tier, quota, rate limit, docs, documentation, version, release, update, hardware, kernel, driver",
    "key": "key, important, critical, essential, note, warning, insight, insights, highlight",
    "setup": "setup, configuration, config, infrastructure, architecture, environment, access, credentials, tools,"
    " devices, network, settings, preferences, profile, about, contact, contacts, details, people, integration",
}
