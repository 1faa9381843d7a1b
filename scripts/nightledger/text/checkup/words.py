"""What a check-up listens for, in a dozen languages: words of state, end, plan and rule.

Invariant: function words of status reports and rules only; no name of a product, person
or place. A word alone never decides: ``signs`` asks where it stands.
"""

# ruff: noqa: RUF001 - words in other scripts are what this table is made of
import re
from collections.abc import Sequence
from functools import cache

_WORDS: dict[str, str] = {
    # A state that is true on the day it was written.
    "state": "running, healthy, operational, online, offline, active, inactive, live, stable, converging, nominal, working, "
    "up, down, ok, okay, ready, clean, degraded, flapping, synced, connected, disconnected, "
    "läuft, aktiv, inaktiv, stabil, bereit, verbunden, "
    "actif, active, en ligne, stable, prêt, opérationnel, "
    "activo, activa, en línea, estable, listo, operativo, funcionando, "
    "ativo, ativa, no ar, estável, pronto, operacional, attivo, attiva, stabile, pronto, actief, stabiel, "
    "работает, активен, активно, стабильно, онлайн, готов, aktif, çalışıyor, đang chạy, hoạt động, ổn định, "
    "运行中, 運行中, 運作中, 正常, 在线, 在線, 活跃, 稼働中, 正常稼働, 実行中, 실행 중, 정상, 활성",
    # Work that is over.
    "done": "done, completed, complete, finished, shipped, deployed, launched, merged, resolved, fixed, closed, implemented, "
    "migrated, delivered, passed, verified, stabilized, stabilised, published, released, installed, provisioned, "
    "erledigt, abgeschlossen, fertig, fertiggestellt, umgesetzt, behoben, gelöst, veröffentlicht, ausgeliefert, eingerichtet, "
    "terminé, terminée, terminées, terminés, achevé, résolu, résolue, corrigé, corrigés, déployé, livré, publié, configuré, "
    "hecho, hecha, completado, completada, terminado, resuelto, resuelta, corregido, desplegado, publicado, entregado, instalado, "
    "concluído, concluída, feito, feita, resolvido, finalizado, corrigido, implantado, publicado, entregue, "
    "completato, completata, fatto, risolto, chiuso, pubblicato, klaar, afgerond, opgelost, voltooid, "
    "готово, сделано, завершено, завершён, решено, исправлено, выполнено, закрыто, развёрнуто, tamamlandı, bitti, çözüldü, "
    "hoàn thành, đã xong, đã sửa, đã triển khai, 已完成, 完成, 已解决, 已解決, 已修复, 已修復, 已上线, 已上線, 已部署, 已发布, 已發布, "
    "搞定, 完了, 済み, 解決済み, 対応済み, 修正済み, リリース済み, 완료, 완료됨, 해결됨, 배포됨",
    # Something that is gone.
    "gone": "decommissioned, obsolete, defunct, no longer used, no longer needed, no longer in use, nicht mehr genutzt, n'est plus utilisé, ya no se usa, não é mais usado, больше не используется, 不再使用, もう使わない, 더 이상 사용하지,  dismantled, sunset, banned, cancelled, canceled, expired, "
    "außer betrieb, veraltet, abgeschaltet, eingestellt, storniert, abgelaufen, "
    "obsolète, supprimé, supprimée, hors service, annulé, expiré, obsoleto, obsoleta, eliminado, dado de baja, cancelado, caducado, "
    "desativado, removido, expirado, dismesso, eliminato, annullato, scaduto, vervallen, verwijderd, "
    "устарело, удалено, отключено, отменено, истёк, 已废弃, 已廢棄, 已删除, 已刪除, 已停用, 已取消, 已过期, 已過期, 已下线, "
    "廃止, 削除済み, 停止済み, 期限切れ, 폐기, 삭제됨, 취소됨, 만료",
    # A matter that is over, as the one who closes it says: of nothing that goes on being so.
    "over": "done, completed, finished, closed, resolved, settled, superseded, withdrawn, cancelled, canceled, expired, obsolete, no longer needed, "
    "erledigt, abgeschlossen, beendet, geschlossen, gelöst, geklärt, hinfällig, storniert, abgelaufen, terminé, terminée, clos, close, résolu, "
    "résolue, réglé, réglée, annulé, annulée, expiré, hecho, hecha, terminado, terminada, cerrado, cerrada, resuelto, resuelta, cancelado, "
    "cancelada, concluído, concluída, feito, feita, encerrado, encerrada, resolvido, resolvida, concluso, conclusa, chiuso, chiusa, risolto, "
    "risolta, annullato, klaar, afgerond, gesloten, opgelost, geannuleerd, сделано, завершено, закрыто, отменено, tamamlandı, kapandı, "
    "çözüldü, đã xong, đã đóng, đã giải quyết, 已完成, 已关闭, 已關閉, 已解决, 已解決, 已取消, 已过期, 已過期, 完了, 終了, 解決済み, 対応済み, 완료, 종료, 해결됨, 취소됨",
    # Something that still waits.
    "waiting": "pending, awaiting, waiting for, waiting on, in progress, not yet, to be recreated, to be done, to be decided, remaining tasks, "
    "just needs, still needs, remaining work, next up, blocked by, wip, ausstehend, offen, in arbeit, wartet auf, "
    "noch nicht, en attente, en cours, pas encore, à faire, pendiente, pendientes, en curso, en progreso, todavía no, "
    "por hacer, pendente, pendentes, em andamento, em progresso, ainda não, a fazer, in attesa, in corso, da fare, in behandeling, "
    "wachten op, ожидает, ожидается, в процессе, ещё не, beklemede, devam ediyor, đang chờ, chưa xong, "
    "待处理, 待處理, 待办, 待辦, 进行中, 進行中, 尚未, 未完成, 等待中, 対応中, 保留中, 未対応, 進行中, 대기 중, 진행 중",
    # Work reported in the past tense, at the beginning.
    "did": "added, set up, configured, created, built, updated, fixed, removed, explored, tested, investigated, moved, migrated, wrote, "
    "refactored, integrated, installed, deployed, reviewed, switched, renamed, enabled, extracted, ran, hinzugefügt, eingerichtet, "
    "erstellt, gebaut, aktualisiert, ajouté, créé, corrigé, installé, mis à jour, configuré, añadido, creado, actualizado, "
    "configurado, adicionado, criado, criei, atualizado, reforcei, aggiunto, creato, aggiornato, добавил, создал, обновил, настроил, "
    "добавлено, создано, 新增了, 添加了, 创建了, 更新了, 修复了, 部署了, 追加した, 作成した, 更新した, 修正した, 추가했, 생성했, 수정했",
    # Things that only hold for a while.
    "now": "recent, recently, today, tonight, yesterday, tomorrow, this week, last week, next week, this morning, currently, right now, at the moment, so far, "
    "for now, heute, gestern, morgen, diese woche, derzeit, momentan, aujourd'hui, hier, demain, cette semaine, actuellement, "
    "hoy, ayer, mañana, esta semana, actualmente, hoje, ontem, amanhã, esta semana, atualmente, oggi, ieri, domani, vandaag, "
    "сегодня, вчера, завтра, на этой неделе, сейчас, bugün, dün, hôm nay, hôm qua, 今天, 昨天, 明天, 本周, 本週, 目前, 今日, 昨日, 今週, 現在, "
    "오늘, 어제, 내일, 이번 주, 현재",
    # A rule, a wish, a duty: what a memory is for.
    "rule": "belong, belongs, without waiting, must, never, always, do not, don't, dont, should, shall, prefer, prefers, preferred, avoid, require, requires, required, "
    "mandatory, forbidden, not allowed, unless, ask first, ask before, before any, make sure, ensure, rule, policy, treat, default, wants, "
    "likes, dislikes, only when, only if, use only, critical, explicit, explicitly, instead of, rather than, must not, no exceptions, "
    "muss, müssen, nie, niemals, immer, darf nicht, darf, dürfen, soll, sollen, bevorzugt, vermeiden, regel, verboten, nur wenn, "
    "doit, doivent, jamais, toujours, préfère, éviter, obligatoire, règle, interdit, "
    "debe, deben, nunca, siempre, no usar, prefiere, evitar, obligatorio, regla, prohibido, solo si, "
    "deve, devem, sempre, prefere, evitar, obrigatório, regra, proibido, mai, sempre, preferisce, regola, vietato, "
    "moet, nooit, altijd, должен, должны, никогда, всегда, нельзя, предпочитает, правило, "
    "asla, her zaman, yasak, không được, luôn luôn, phải, 必须, 必須, 不要, 禁止, 永远, 永遠, 总是, 總是, 应该, 應該, 不得, 偏好, 规则, 規則, "
    "只能, 一律, 请勿, 請勿, 勿, しないで, すること, 必ず, 絶対, 禁止, 好み, ルール, べき, 원칙, 반드시, 절대, 항상, 금지, 규칙, 선호, 하지 마",
    # What stands in brackets where nothing stands yet.
    "empty": "will be filled, to be filled, to be added, goes here, go here, fill in, add here, nothing yet, none yet, "
    "as they accumulate, as content is created, noch leer, hier ergänzen, wird ergänzt, à compléter, "
    "à remplir, rien pour l'instant, por completar, por rellenar, nada todavía, a preencher, a completar, nada ainda, da completare, "
    "nog leeg, заполнить, пока пусто, 待补充, 待補充, 待填写, 待填寫, 暂无, 暫無, 未記入, 追記予定, 추가 예정, 아직 없음",
    # Notes of a run about itself.
    "run": "cron ran, cron executed, extracted from cron, carried forward from, "
    "this file is generated, this file was generated, do not edit by hand, diese datei wurde automatisch, "
    "ce fichier est généré, este archivo se genera, este arquivo é gerado, этот файл создан автоматически, 本文件自动生成, 本檔案自動產生, "
    "このファイルは自動生成, 이 파일은 자동 생성",
}
_HEADINGS: dict[str, str] = {
    # Headings whose items are a report of one time.
    "report": "active priorities, current priorities, current focus, current projects, active projects, historical, highlights, status, state, current state, system status, system health, health, progress, changelog, session notes, session log, "
    "session, sessions, log, history, today's work, commits, recent, activity, activities, issues detected, update, updates, "
    "launch, milestones, achievements, accomplishments, completed, done, results, validation, test results, roadmap, backlog, "
    "next steps, next actions, open items, pending, todo, to do, tasks, current work, in progress, sprint, summary, what we built, "
    "zustand, fortschritt, verlauf, sitzung, erledigt, offene punkte, nächste schritte, aufgaben, "
    "état, statut, avancement, historique, séance, terminé, prochaines étapes, tâches, en cours, dernière mise à jour, "
    "estado, progreso, historial, sesión, sesiones, completado, pendiente, pendientes, próximos pasos, tareas, "
    "progresso, histórico, sessão, concluído, pendente, próximos passos, tarefas, stato, avanzamento, attività, "
    "voortgang, sessie, taken, статус, состояние, прогресс, история, сессия, задачи, сделано, durum, ilerleme, görevler, "
    "trạng thái, tiến độ, nhiệm vụ, 状态, 狀態, 进度, 進度, 系统状态, 系統狀態, 待办, 待辦, 当前任务, 當前任務, 今日任务, 今日任務, 任务进度, 任務進度, 更新日志, 更新日誌, 历史, 歷史, "
    "已完成, 下一步, 状況, 進捗, 履歴, 今日の作業, タスク一覧, 完了, 次のステップ, 시스템 상태, 진행 상황, 작업 현황, 다음 단계, 할 일",
    # Headings whose items are meant to last.
    "lasting": "rule, rules, policy, policies, preference, preferences, principle, principles, identity, profile, about, protocol, workflow, "
    "convention, conventions, standards, style, lessons, lesson, learnings, contacts, family, people, access, reference, index, where, "
    "guidelines, boundaries, safety, security, values, critical, important, architecture, memory system, how to, decisions, decision, "
    "key decisions, regeln, vorlieben, grundsätze, profil, prinzipien, kontakte, familie, entscheidungen, lehren, "
    "règle, règles, préférences, principes, contacts, famille, décisions, leçons, reglas, preferencias, principios, contactos, familia, "
    "decisiones, lecciones, regras, preferências, contatos, família, decisões, lições, regole, preferenze, contatti, decisioni, "
    "regels, voorkeuren, правила, предпочтения, принципы, контакты, решения, уроки, kurallar, tercihler, quy tắc, sở thích, "
    "规则, 規則, 守则, 守則, 偏好, 原则, 原則, 决策, 決策, 教训, 教訓, 联系人, 聯絡人, ルール, 好み, 原則, 決定, 教訓, 規約, 규칙, 선호, 원칙, 결정, 교훈",
}
_COLUMNS: dict[str, str] = {
    # Columns of a table that somebody must keep up to date.
    "status": "status, state, progress, score, q-score, success, success rate, health, uptime, errors, result, zustand, fortschritt, statut, "
    "état, avancement, corrigé dans, estado, progreso, progresso, stato, voortgang, статус, состояние, прогресс, durum, trạng thái, "
    "状态, 狀態, 进度, 進度, 状況, 進捗, 상태, 진행",
    # Columns of a table that a timer keeps.
    "timer": "last run, last check, last update, last, next due, next run, next, due, letzter lauf, nächster lauf, fällig, échéance, dernière "
    "exécution, prochaine exécution, última ejecución, próxima ejecución, vence, última execução, próxima execução, prazo, scadenza, срок, "
    "последний запуск, 上次运行, 上次執行, 下次运行, 下次執行, 截止, 前回, 次回, 期限, 최근 실행, 다음 실행, 기한",
    # Columns of a list of work.
    "task": "task, tasks, effort, priority, impact, owner, eta, estimate, todo, backlog, item, bug, aufgabe, aufwand, priorität, tâche, priorité, "
    "effort, tarea, prioridad, esfuerzo, tarefa, prioridade, attività, priorità, taak, prioriteit, задача, приоритет, görev, öncelik, "
    "nhiệm vụ, ưu tiên, 任务, 任務, 优先级, 優先級, 工作量, タスク, 優先度, 工数, 작업, 우선순위",
    # Columns of a record of decisions.
    "decision": "decision, reason, rationale, why, verdict, entscheidung, grund, begründung, décision, raison, pourquoi, decisión, motivo, razón, "
    "decisão, decisione, besluit, reden, решение, причина, karar, quyết định, 决定, 決定, 决策, 決策, 理由, 原因, 결정, 이유",
}
_CLAUSE_END = re.compile(r"[*_]*\s*(?:[;.,)(✅☑✔✓]|$|20\d\d-)")
_CLOSING = frozenset({"state", "done", "gone", "over", "waiting"})
_CONDITION = re.compile(
    r"(?<!\w)(?:when|if|once|unless|until|after|before|falls|wenn|sobald|bis|nachdem|si|quand|lorsque|après|cuando|hasta|quando|se|caso|dopo|als|zodra|если|когда)"
    r"(?:\s[\w'’]+){0,4}\s$",
    re.IGNORECASE,
)
_SAID_OF_NOUNS = frozenset({"gone"})
_ARTICLE = re.compile(r"(?<!\w)(?:an?|any|some|each|every|einen?|eine[rs]?|une?|un[ao]?)\s$", re.IGNORECASE)
_NOUN = re.compile(
    r"(?:^\W*|(?<!\w)(?:an?|any|some|each|every|einen?|eine[rs]?|une?|un[ao]?))\s*$", re.IGNORECASE
)
_NOUN = re.compile(r"\s[^\W\d_]{3,}")
_DENIED = re.compile(
    r"(?<!\w)(?:(?:not|never|nicht|noch nicht|pas(?: encore)?|non|niet|не|ещё не|(?:todavía )?no|(?:ainda )?não)(?:\s(?:yet|fully|ganz))?|(?:19|20)\d\d)\s$",
    re.IGNORECASE,
)
"""Not done; or figures of a year that were checked."""
"""What makes a word of state a case to be met and not the case that is."""
_MARKS = " *_`~([\"'✅☑✔✓⚠️❌🔄⏳🚧🟢🔴🟡🆕-—:"
"""What may stand before the first word of an item."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")


def has(kind: str, text: str) -> bool:
    """Say whether ``text`` holds a word of a kind (a key of the tables), whole where words have spaces."""
    return _pattern(kind).search(text) is not None


def tells(kind: str, text: str) -> bool:
    """Say whether ``text`` holds a word of a kind that is told as so, not as what to do when it is so."""
    return any(
        not _CONDITION.search(text[max(0, found.start() - 40) : found.start()])
        and not (kind in _SAID_OF_NOUNS and _names_one(text, found))
        for found in _pattern(kind).finditer(text)
    )


def _names_one(text: str, found: re.Match[str]) -> bool:
    """Say whether a word stands before its noun, at the beginning or behind an article: it says which one is meant."""
    before = text[max(0, found.start() - 12) : found.start()]
    at_start = not text[: found.start()].strip(_MARKS)
    return (at_start or _ARTICLE.search(before) is not None) and _NOUN.match(text, found.end()) is not None


def reports(kind: str, text: str) -> bool:
    """Say whether ``text`` holds a word of a kind that is neither denied nor a case to be met."""
    return any(_is_told(text, found.start()) for found in _pattern(kind).finditer(text))


def _is_told(text: str, at: int) -> bool:
    before = text[max(0, at - 40) : at]
    return not _DENIED.search(before) and not _CONDITION.search(before)


def rests(text: str) -> bool:
    """Say whether ``text`` begins with a word of a matter that is over, which stands for itself."""
    bare = text.lstrip(_MARKS)
    found = _pattern("over").match(bare)
    return (
        found is not None
        and re.match(
            r"[*_]*\s*(?:[],;.()|!✅–—]|-\s|20\d\d-|(?:by|durch|par|por|da|door)\s|$)", bare[found.end() :]
        )
        is not None
    )


def starts(kind: str, text: str) -> bool:
    """Say whether ``text`` begins with a word of a kind, marks and emphasis aside."""
    return _pattern(kind).match(text.lstrip(_MARKS)) is not None


def closes(text: str) -> bool:
    """Say whether a clause of ``text`` ends in a word of work that is over."""
    return any(
        _CLAUSE_END.match(text, found.end()) and _is_told(text, found.start())
        for found in _pattern("done").finditer(text)
    )


def states(text: str) -> bool:
    """Say whether ``text`` begins with a word of state that stands for itself, as in a status report."""
    bare = text.lstrip(_MARKS)
    found = _pattern("state").match(bare)
    return found is not None and re.match(r"[*_]*\s*(?:[,;.(|/!—–]|-\s|$)", bare[found.end() :]) is not None


def is_heading(kind: str, text: str) -> bool:
    """Say whether a heading or a column names a kind."""
    return _pattern(kind).search(text) is not None


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """In scripts without spaces a word of state or end must end its clause: inside one it may be any part of it."""
    listed = (_WORDS.get(kind) or _HEADINGS.get(kind) or _COLUMNS[kind]).split(", ")
    words = sorted({word.strip() for word in listed}, key=len, reverse=True)
    spaced = _any_of([word for word in words if not _UNSPACED.search(word)])
    unspaced = _any_of([word for word in words if _UNSPACED.search(word)])
    closed = r"(?=[\W\d]|[了的]?$)" if kind in _CLOSING else ""
    return re.compile(rf"(?<![\w-]){spaced}(?![\w-])|{unspaced}{closed}", re.IGNORECASE)


def _any_of(words: Sequence[str]) -> str:
    """Give the pattern of any of the words; where no word begins, none is tried: a run of tabs costs a look each."""
    firsts = "".join(sorted({re.escape(word[0]) for word in words}))
    return f"(?=[{firsts}])(?:{'|'.join(map(re.escape, words))})"
