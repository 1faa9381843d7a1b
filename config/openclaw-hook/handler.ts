// Put here by `nightledger hosts install openclaw`; `nightledger hosts remove openclaw` takes it away.
import { execFile } from "node:child_process";
import { access, realpath } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const HOME = $home;
const COMMAND = $command;
const SELF = import.meta.url.startsWith("file:") ? fileURLToPath(import.meta.url) : "";

function ask(question) {
  return new Promise((resolve) => {
    const options = { timeout: $limit, maxBuffer: $most, killSignal: "SIGKILL" };
    const child = execFile(COMMAND[0], COMMAND.slice(1), options, (error, answer) => resolve(error ? "" : answer));
    child.on("error", () => resolve(""));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(question));
  });
}

async function isThere(path) {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

// OpenClaw shows MEMORY.md to private sessions of the agent itself alone; what is staged quotes it
async function isWithheld(context, session) {
  const parts = session.toLowerCase().split(":");
  if (["subagent", "cron", "group", "channel"].some((kind) => parts.includes(kind))) return true;
  const shown = context.bootstrapFiles.some((file) => file.name === "MEMORY.md");
  return !shown && (await isThere(HOME + "/MEMORY.md"));
}

// the characters that OpenClaw still takes after the files that are there
function room(context) {
  const agents = context.cfg?.agents;
  const given = { ...agents?.defaults, ...agents?.entries?.[context.agentId] };
  const limit = (said, otherwise) => (said > 0 ? Math.floor(said) : otherwise);
  const one = limit(given.bootstrapMaxChars, $file_characters);
  const long = (file) => Math.min(one, file.missing ? 64 + String(file.path).length : (file.content ?? "").length);
  const taken = context.bootstrapFiles.reduce((sum, file) => sum + long(file), 0);
  return Math.max(0, Math.min(one, limit(given.bootstrapTotalMaxChars, $all_characters) - taken));
}

const handler = async (event) => {
  try {
    if (event.type !== "agent" || event.action !== "bootstrap") return;
    const context = event.context;
    const session = String(context.sessionKey || event.sessionKey || "");
    if ((await realpath(context.workspaceDir)) !== (await realpath(HOME))) return;
    if (await isWithheld(context, session)) return;
    if (SELF && !(await isThere(SELF))) return; // taken away, and the gateway runs on
    const named = String(context.sessionId || session);
    const answer = await ask({ session_id: named, cwd: context.workspaceDir, room: room(context) });
    const text = answer && JSON.parse(answer).context;
    if (typeof text !== "string" || !text) return;
    context.bootstrapFiles.push({
      name: "NIGHTLEDGER.md",
      path: HOME + "/memory/state/tc-restore-pending.md",
      content: text,
      missing: false,
    });
  } catch {
    // the session goes on without it
  }
};

export default handler;
