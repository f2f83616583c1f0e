// The board: the server's picture, and above it the places that make moves.
import { proven, signed } from "./panel.js";
import { make } from "./svg.js";

const LARGEST = 11; // size of letters
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  constructor(root, words, play) {
    this.picture = root.querySelector("img");
    this.svg = root.querySelector("svg");
    this.words = words;
    this.play = (move) => {
      this.waiting = true; // until the server answers
      play(move);
    };
    this.waiting = false;
    this.chosen = [];
    this.view = null;
    this.places = new Map();
    this.svg.addEventListener("click", (event) => this.click(event.target.dataset?.place));
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  show(view) {
    const same = this.view !== null && Object.keys(this.view.places).join() === Object.keys(view.places).join();
    this.view = view;
    this.rest();
    this.picture.src = `data:image/svg+xml,${encodeURIComponent(view.svg)}`;
    this.picture.alt = `${view.game}, ${view.text || `after ${view.ply} moves`}`;
    this.svg.setAttribute("viewBox", `0 0 ${view.size[0]} ${view.size[1]}`);
    if (!same) this.svg.replaceChildren(...this.draw(view));
    this.move(view);
    this.clear(".tag, .step, .owner");
    this.mark();
  }

  clear(marks) {
    for (const mark of this.svg.querySelectorAll(marks)) mark.remove();
  }

  // Writes a mark of one or two lines above a place.
  write(name, kind, first, second = null) {
    const box = this.view.places[name];
    if (box === undefined) return;
    const size = Math.min(LARGEST, 0.3 * box[2]);
    const x = box[0] + box[2] / 2;
    const y = box[1] + box[3] / 2 + (second === null ? 0.4 : -0.1) * size;
    const lines = [make("text", { class: kind, x, y }, first)];
    lines[0].style.fontSize = `${size}px`;
    if (second !== null) {
      lines.push(make("text", { class: kind, x, y: y + 0.9 * size }, second));
      lines[1].style.fontSize = `${0.72 * size}px`;
    }
    this.svg.append(...lines);
  }

  // Numbers the places of a variation; null shows the best moves again.
  showWay(way) {
    this.clear(".step");
    this.svg.classList.toggle("variation", way !== null);
    (way ?? []).forEach((places, number) => {
      if (places.length > 0) this.write(places.at(-1), "step", number + 1);
    });
  }

  showOwners(ownership) {
    this.clear(".owner");
    for (const [name, owner] of Object.entries(ownership)) {
      const box = this.view.places[name];
      if (box === undefined || Math.abs(owner) < 0.1) continue;
      const size = 0.5 * Math.min(box[2], box[3]) * Math.abs(owner);
      const dark = this.view.colours[owner > 0 ? 0 : 1] !== "white";
      const where = { x: box[0] + (box[2] - size) / 2, y: box[1] + (box[3] - size) / 2, width: size, height: size };
      this.svg.append(make("rect", { class: "owner", fill: dark ? "#222222" : "#fafafa", ...where }));
    }
  }

  // Forgets what was chosen.
  rest() {
    this.chosen = [];
    this.waiting = false;
  }

  draw(view) {
    this.places.clear();
    const names = Object.keys(view.places);
    names.forEach((name, number) => {
      const shown = { role: "button", "aria-label": name, tabindex: number === 0 ? 0 : -1, "data-place": name };
      this.places.set(name, make("rect", shown));
    });
    return [...this.places.values()];
  }

  move(view) {
    for (const [name, place] of this.places) {
      const [x, y, width, height] = view.places[name];
      for (const [key, value] of Object.entries({ x, y, width, height })) place.setAttribute(key, value);
    }
  }

  // Whether a way begins with the places that are chosen.
  begins(way) {
    return this.chosen.every((name, number) => way[number] === name);
  }

  // The legal moves one of whose ways begins so.
  candidates() {
    return this.view.legal.filter((move) => move.clicks.some((way) => this.begins(way)));
  }

  // Those of them that are whole.
  whole(moves) {
    const length = this.chosen.length;
    return moves.filter((move) => length > 0 && move.clicks.some((way) => way.length === length && this.begins(way)));
  }

  // The places that may come next.
  next(moves) {
    const ways = moves.flatMap((move) => move.clicks.filter((way) => this.begins(way)));
    return new Set(ways.map((way) => way[this.chosen.length]));
  }

  mark(best = []) {
    const moves = this.candidates();
    const next = this.next(moves);
    for (const [name, place] of this.places) {
      place.setAttribute("class", "place");
      place.classList.toggle("legal", next.has(name));
      place.classList.toggle("next", this.chosen.length > 0 && next.has(name));
      place.classList.toggle("chosen", this.chosen.includes(name));
      place.classList.toggle("last", this.view.last.includes(name));
      place.classList.toggle("best", best.includes(name));
    }
    const whole = this.whole(moves);
    const several = whole.length > 0 && moves.length > 1;
    const worded = several ? whole : this.view.legal.filter((move) => move.clicks.length === 0);
    this.words.replaceChildren(
      ...worded.map((move) => {
        const button = document.createElement("button");
        button.textContent = move.text;
        button.addEventListener("click", () => this.play(move.text));
        return button;
      }),
    );
  }

  click(name) {
    if (name === undefined || this.view === null || this.waiting) return;
    if (!this.next(this.candidates()).has(name)) this.chosen = [];
    if (this.next(this.candidates()).has(name)) this.chosen.push(name);
    const moves = this.candidates();
    const whole = this.whole(moves);
    this.mark();
    if (whole.length === 1 && moves.length === 1) this.play(whole[0].text);
  }

  key(event) {
    const here = event.target;
    if (!here.dataset?.place) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.click(here.dataset.place);
    } else if (event.key === "Escape") {
      this.rest();
      this.mark();
    } else if (ARROWS[event.key]) {
      event.preventDefault();
      this.walk(here, ...ARROWS[event.key]);
    }
  }

  // Moves the focus to the nearest place in a direction.
  walk(here, right, down) {
    const middle = ([x, y, width, height]) => [x + width / 2, y + height / 2];
    const [x, y] = middle(this.view.places[here.dataset.place]);
    let nearest = null;
    let least = Infinity;
    for (const [name, place] of this.places) {
      const [a, b] = middle(this.view.places[name]);
      const along = (a - x) * right + (b - y) * down;
      const aside = Math.abs((a - x) * down) + Math.abs((b - y) * right);
      if (along > 1 && along + 2 * aside < least) [nearest, least] = [place, along + 2 * aside];
    }
    if (nearest === null) return;
    here.setAttribute("tabindex", -1);
    nearest.setAttribute("tabindex", 0);
    nearest.focus();
  }

  // Marks the best moves of an analysis with their shares of the simulations, and their values.
  showBest(info) {
    this.clear(".tag");
    this.showOwners(info.ownership);
    if (this.chosen.length > 0) return;
    this.mark(info.lines.length > 0 ? info.lines[0].clicks : []);
    const tagged = new Set();
    for (const line of info.lines.slice(0, 5)) {
      const name = line.clicks.at(-1);
      if (tagged.has(name)) continue;
      tagged.add(name);
      this.write(name, "tag", `${Math.round(100 * line.share)}%`, line.proven ? proven(line.value) : signed(line.value));
    }
  }
}
