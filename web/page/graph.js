// The graph of values over the moves of a game, with its mistakes.
import { make } from "./svg.js";

const WIDTH = 300;
const HEIGHT = 80;
const MISTAKE = 0.3; // of the value that a move gives away, on a scale from -1 to 1

export class Graph {
  constructor(root, walk) {
    this.root = root;
    this.walk = walk;
    this.line = "";
    this.values = [];
    this.best = [];
    this.given = []; // what moves gave away by the search before them, in games of dice
  }

  // Forgets the values of another line.
  showView(view) {
    const line = view.line.join(" ");
    if (line !== this.line) {
      this.line = line;
      this.values = [];
      this.best = [];
      this.given = [];
      this.root.toggleAttribute("hidden", true);
    }
    this.draw(view);
  }

  add(judged, view) {
    this.values[judged.ply] = judged.value;
    this.best[judged.ply] = judged.best;
    this.given[judged.ply] = judged.lost;
    this.root.toggleAttribute("hidden", false);
    this.draw(view);
  }

  // What the move before a position gave away; the mover is told by whom the change favours.
  lost(ply, mover) {
    if (typeof this.given[ply - 1] === "number") return this.given[ply - 1];
    const before = this.values[ply - 1];
    const after = this.values[ply];
    if (before === undefined || after === undefined) return 0;
    return mover === 0 ? before - after : after - before;
  }

  draw(view) {
    const items = [...document.getElementById("line").children];
    const x = (ply) => (WIDTH * ply) / Math.max(1, view.line.length);
    const y = (value) => (HEIGHT / 2) * (1 - value);
    const known = this.values.map((value, ply) => `${x(ply)},${y(value)}`).filter(Boolean);
    const parts = [
      make("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      make("polyline", { class: "curve", points: known.join(" ") }),
      make("line", { class: "here", x1: x(view.ply), x2: x(view.ply), y1: 0, y2: HEIGHT }),
    ];
    items.forEach((item, number) => {
      const ply = number + 1;
      const mistake = this.lost(ply, view.movers[number]) > MISTAKE;
      item.firstChild.classList.toggle("mistake", mistake);
      item.firstChild.title = mistake ? `better: ${this.best[number]}` : "";
      if (mistake) parts.push(make("circle", { class: "mistake", cx: x(ply), cy: y(this.values[ply] ?? this.values[ply - 1]), r: 3 }));
    });
    this.values.forEach((_, ply) => {
      const hit = make("rect", { class: "hit", x: x(ply - 0.5), y: 0, width: x(1), height: HEIGHT });
      hit.addEventListener("click", () => this.walk(ply));
      parts.push(hit);
    });
    this.root.replaceChildren(...parts);
  }
}
