// The page: what the server says goes to the parts of the page, what the user does goes to the server.
import { Board } from "./board.js";
import { Clock, clockOf } from "./clock.js";
import { Graph } from "./graph.js";
import { Live } from "./live.js";
import { Panel } from "./panel.js";
import { Tree } from "./tree.js";

const element = (id) => document.getElementById(id);
const LONGEST = 60_000; // letters of what is pasted
const STRONGEST = 20; // level
const SIDES = ["first", "second", "both", "none"];
let view = null;

const live = new Live(take, connected);
const board = new Board(element("board"), element("words"), (move) => live.say({ t: "play", move }));
const panel = new Panel(
  (ply) => live.say({ t: "go", ply }),
  (info) => board.showBest(info),
  (way) => board.showWay(way),
);
const graph = new Graph(element("graph"), (ply) => live.say({ t: "go", ply }));
const tree = new Tree(element("tree"));
const clock = new Clock(element("timer"));
const asked = new URLSearchParams(location.search);

function take(message) {
  if (message.t === "seated") {
    element("games").replaceChildren(...message.games.map((name) => new Option(name, name)));
    for (const name of ["tournament", "training"]) {
      element(name).hidden = !message.reports.includes(name);
      element(name).search = location.search;
    }
    takeUp();
  } else if (message.t === "view") {
    const changed = view === null || view.game !== message.game;
    const moved = view === null || view.ply !== message.ply || view.text !== message.text;
    view = message;
    show(changed, moved);
  } else if (message.t === "info" && message.ply === view.ply) {
    panel.showInfo(message, view);
    if (message.hint) status(`Hint: ${message.hint}`);
  } else if (message.t === "judged") {
    graph.add(message, view);
  } else if (message.t === "grown" && message.ply === view.ply) {
    tree.show(message.root);
  } else if (message.t === "written") {
    save(message);
  } else if (message.t === "note") {
    note(message.text);
    board.rest();
  }
}

// Begins the game that a shared link holds, once.
function takeUp() {
  const game = asked.get("game");
  if (game === null) return;
  live.say({ t: "new", game, start: asked.get("start"), moves: asked.getAll("move"), side: "both" });
  asked.delete("game");
  const own = new URL(location.href);
  for (const name of ["game", "start", "move"]) own.searchParams.delete(name); // a reload comes back to the table
  history.replaceState(null, "", own);
}

function save(record) {
  const link = document.createElement("a");
  link.href = `data:text/plain;charset=utf-8,${encodeURIComponent(record.text)}`;
  link.download = record.name;
  link.click();
}

async function share() {
  const link = new URL(location.pathname, location.href);
  link.searchParams.set("game", view.game);
  if (view.start !== null) link.searchParams.set("start", view.start);
  for (const move of view.line.slice(0, view.ply)) link.searchParams.append("move", move);
  try {
    await navigator.clipboard.writeText(link.href);
    status("The link is copied");
  } catch {
    element("text").value = link.href; // the browser does not allow it; the user copies it from there
    element("text").select();
  }
}

function show(changed, moved) {
  const [first, second] = view.colours.map((name) => name[0].toUpperCase() + name.slice(1));
  if (changed) {
    const names = [first, second, "Both", "Neither"];
    element("side").replaceChildren(...SIDES.map((side, number) => new Option(names[number], side)));
    if (document.activeElement !== element("game")) element("game").value = view.game;
    element("stones").hidden = !element("game").value.startsWith("go");
    element("seconds").value = view.seconds;
    element("level").replaceChildren(...levels(view.ratings));
  }
  element("level").value = view.level;
  element("side").value = view.side;
  element("analyse").checked = view.analysing;
  element("books").checked = view.books;
  if (document.activeElement !== element("text")) element("text").value = view.text;
  board.show(view);
  clock.show(view, [first, second]);
  if (moved) element("tree").hidden = true;
  panel.showView(view);
  graph.showView(view);
  const atEnd = view.ply === view.line.length;
  for (const id of ["begin", "back", "undo"]) element(id).disabled = view.ply === 0;
  for (const id of ["forth", "end"]) element(id).disabled = atEnd;
  element("here").disabled = atEnd && !view.result;
  element("rematch").disabled = view.line.length === 0;
  element("resign").disabled = Boolean(view.result) || view.player === null;
  element("hint").disabled = view.legal.length === 0;
  if (view.result) status(view.result);
  else if (view.thinking) status("The engine is thinking");
  else if (view.player === -1) status("The dice are to be rolled");
  else status(`${view.player === 0 ? first : second} to move`);
}

// All levels, with their Elo where it is known.
function levels(ratings) {
  const said = (level) => (level === STRONGEST ? `${level} (all)` : ratings[level] ? `${level} (${ratings[level]} Elo)` : level);
  return Array.from({ length: STRONGEST + 1 }, (_, level) => new Option(said(level), level));
}

function status(text) {
  element("status").textContent = text;
}

function note(text) {
  const line = document.createElement("p");
  line.textContent = text;
  element("notes").replaceChildren(line);
  setTimeout(() => line.remove(), 8000);
}

function connected(there, why) {
  document.body.dataset.connected = there;
  if (!there) status(why ?? "Connecting");
}

const number = (id) => (element(id).value === "" ? null : Number(element(id).value));

element("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const side = element("side").value || "first";
  const handicap = element("stones").hidden ? 0 : (number("handicap") ?? 0);
  const limits = { seconds: number("seconds"), level: number("level"), books: element("books").checked };
  live.say({ t: "new", game: element("game").value.trim(), side, handicap, clock: clockOf(element("clock").value), ...limits });
});
element("say").addEventListener("submit", (event) => {
  event.preventDefault();
  live.say({ t: "play", move: element("move").value.trim() });
  element("move").value = "";
});
element("set").addEventListener("submit", (event) => {
  event.preventDefault();
  load(element("text").value);
});
function load(text) {
  if (text.length > LONGEST) note(`longer than ${LONGEST} letters`);
  else if (text.trim() !== "") live.say({ t: "load", text });
}
document.addEventListener("paste", (event) => {
  if (event.target.closest("input, textarea") === null) load(event.clipboardData.getData("text"));
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  const file = event.dataTransfer.files[0];
  if (file !== undefined && file.size > LONGEST) note(`longer than ${LONGEST} letters`);
  else load(file === undefined ? event.dataTransfer.getData("text") : await file.text());
});
element("save").addEventListener("click", () => live.say({ t: "save" }));
element("link").addEventListener("click", share);
element("grow").addEventListener("click", () => live.say({ t: "tree" }));
element("review").addEventListener("click", () => live.say({ t: "review" }));
element("books").addEventListener("change", () => live.say({ t: "sides", books: element("books").checked }));
element("game").addEventListener("input", () => {
  element("stones").hidden = !element("game").value.startsWith("go");
});
element("side").addEventListener("change", () => live.say({ t: "sides", side: element("side").value }));
for (const id of ["seconds", "level"]) {
  element(id).addEventListener("change", () => {
    if (element(id).reportValidity()) live.say({ t: "sides", [id]: number(id) });
  });
}
for (const id of ["analyse", "ownership"]) {
  element(id).addEventListener("change", () => {
    live.say({ t: "analyse", on: element("analyse").checked, ownership: element("ownership").checked });
  });
}
const walk = { begin: () => 0, back: () => view.ply - 1, forth: () => view.ply + 1, end: () => view.line.length };
for (const [id, ply] of Object.entries(walk)) element(id).addEventListener("click", () => live.say({ t: "go", ply: ply() }));
element("hint").addEventListener("click", () => status("Looking for a hint"));
element("here").addEventListener("click", () => live.say({ t: "again", ply: view.ply }));
element("rematch").addEventListener("click", () => live.say({ t: "again", exchange: true }));
for (const id of ["undo", "resign", "hint"]) element(id).addEventListener("click", () => live.say({ t: id }));
const KEYS = { ArrowLeft: "back", ArrowRight: "forth", Home: "begin", End: "end" };
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest("input, select, textarea, #places");
  if (!writing && KEYS[event.key] && !element(KEYS[event.key]).disabled) element(KEYS[event.key]).click();
});
live.open();
