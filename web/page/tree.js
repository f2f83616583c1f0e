// The tree of a search as a picture that is walked: a click on a position opens or closes what comes after it.
import { proven, signed } from "./panel.js";
import { make } from "./svg.js";

const COLUMN = 176;
const ROW = 24;
const THICKEST = 9; // of a line, for all simulations of the position before

export class Tree {
  constructor(place) {
    this.place = place;
    this.root = null;
    this.open = new Set();
  }

  // Shows the tree below a root, of which the first generation and the best line are open.
  show(root) {
    this.root = root;
    this.place.hidden = false;
    if (root.children.length === 0) {
      this.place.textContent = "No search has been here; Analyse begins one.";
      return;
    }
    this.open.clear();
    for (let node = root; node !== undefined; node = node.children[0]) this.open.add(node);
    this.draw();
  }

  draw() {
    const lines = [];
    const nodes = [];
    const first = new Map(); // the places of the positions that have been drawn, by their numbers
    let rows = 0;
    let columns = 0;
    // Draws what comes after a node; returns the height at which the node itself stands.
    const below = (node, ply, path) => {
      columns = Math.max(columns, ply);
      if (!this.open.has(node) || node.children.length === 0) return ROW * (0.5 + rows++);
      const whole = node.children.reduce((sum, child) => sum + child.visits, 0);
      const heights = node.children.map((child) => {
        const words = [...path, child.move];
        const known = first.get(child.position);
        if (known === undefined) first.set(child.position, words);
        const height = below(child, ply + 1, words);
        nodes.push(this.node(child, words.join(" "), ply + 1, height, known));
        return height;
      });
      const middle = (heights[0] + heights.at(-1)) / 2;
      const x = ply * COLUMN + (ply === 0 ? 8 : COLUMN - 12);
      heights.forEach((height, number) => {
        const width = 0.8 + (THICKEST * node.children[number].visits) / whole;
        const bend = (x + (ply + 1) * COLUMN) / 2;
        const way = `M${x},${middle} C${bend},${middle} ${bend},${height} ${(ply + 1) * COLUMN},${height}`;
        lines.push(make("path", { class: ply % 2 === 0 ? "edge" : "edge other", d: way, "stroke-width": width }));
      });
      return middle;
    };
    below(this.root, 0, []);
    const [width, height] = [(columns + 1) * COLUMN, rows * ROW];
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Tree" });
    svg.append(...lines, ...nodes);
    const focused = document.activeElement.dataset?.way;
    this.place.replaceChildren(svg);
    if (focused !== undefined) nodes.find((node) => node.dataset.way === focused)?.focus();
  }

  // Draws a position at the end of its line, with the moves that lead there. Of one that the tree has shown already,
  // known has the moves that led there first.
  node(node, way, ply, height, known) {
    const value = node.proven ? proven(node.value) : signed(node.value);
    const images = node.images.length > 0 ? ` \u00d7${node.images.length + 1}` : "";
    const more = node.children.length === 0 ? "" : this.open.has(node) ? " \u25be" : " \u25b8";
    const again = known === undefined ? "" : " =";
    const shown = { class: known === undefined ? "node" : "node again", transform: `translate(${ply * COLUMN},${height})` };
    const said = `${node.move}${images}  ${value}  ${node.visits.toLocaleString()}${again}${more}`;
    const made = make("g", { ...shown, role: "button", tabindex: 0, "data-way": way, "aria-label": `${way}: ${said}` });
    if (node.children.length > 0) made.setAttribute("aria-expanded", this.open.has(node));
    const title = [`${node.visits.toLocaleString()} visits`];
    if (node.images.length > 0) title.push(`with its images ${node.images.join(", ")}`);
    if (known !== undefined) title.push(`the same position as after ${known.join(" ")}`);
    made.append(make("title", {}, title.join("; ")), make("rect", { x: 0, y: -ROW / 2 + 1, width: COLUMN - 12, height: ROW - 2, rx: 4 }));
    made.append(make("text", { x: 6, y: 5, class: node.proven ? "proof" : "" }, said));
    const toggle = () => {
      if (!this.open.delete(node)) this.open.add(node);
      this.draw();
    };
    made.addEventListener("click", toggle);
    made.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle();
    });
    return made;
  }
}
