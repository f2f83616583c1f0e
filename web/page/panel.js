// The panel: evaluation, best moves, and the moves of the game.
const element = (id) => document.getElementById(id);

export class Panel {
  constructor(walk, showBest, showWay) {
    this.walk = walk;
    this.showBest = showBest;
    this.showWay = showWay;
    this.line = "";
    this.ways = [];
    const body = element("lines").tBodies[0];
    body.addEventListener("pointerover", (event) => this.point(event.target.closest("tr")));
    body.addEventListener("pointerleave", () => this.showWay(null));
  }

  point(row) {
    this.showWay(row === null ? null : (this.ways[row.sectionRowIndex] ?? null));
  }

  showView(view) {
    const line = view.line.join(" ");
    if (line !== this.line || element("line").childElementCount === 0) {
      this.line = line;
      element("line").replaceChildren(...view.said.map((move, number) => this.step(move, number + 1)));
    }
    [...element("line").children].forEach((item, number) => {
      const current = number + 1 === view.ply;
      item.firstChild.setAttribute("aria-current", current);
      if (current) item.scrollIntoView({ block: "nearest" });
    });
    if (!view.analysing) this.clear();
  }

  step(move, ply) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.textContent = move;
    button.addEventListener("click", () => this.walk(ply));
    item.append(button);
    return item;
  }

  clear() {
    this.ways = [];
    this.showWay(null);
    element("search").textContent = "";
    element("chances").textContent = "";
    element("lines").tBodies[0].replaceChildren();
  }

  showInfo(info, view) {
    const rate = info.seconds > 0 ? Math.round(info.simulations / info.seconds) : 0;
    element("search").textContent = `${info.simulations.toLocaleString()} positions, ${rate.toLocaleString()}/s`;
    if (info.value !== null) this.showValue(info.value, view);
    this.ways = info.lines.map((line) => line.way);
    element("lines").tBodies[0].replaceChildren(...info.lines.map((line) => this.row(line)));
    if (info.lines.length > 0) this.showShares(info.lines[0].wdl, view);
    this.showBest(info);
  }

  // The bar has player 1's colour on the left where player 1 is White, so that light is always White.
  showValue(value, view) {
    const white = view.colours[0] === "white" ? value : -value;
    element("share").style.width = `${50 + 50 * white}%`;
    element("bar").setAttribute("aria-label", `Evaluation: ${signed(value)} for ${view.colours[0]}`);
  }

  showShares(wdl, view) {
    const [win, draw, loss] = wdl.map((share) => `${Math.round(100 * share)} %`);
    element("chances").textContent = `${view.colours[0]} wins ${win}, draws ${draw}, loses ${loss}`;
  }

  row(line) {
    const row = document.createElement("tr");
    const cells = [line.move, line.proven ? proven(line.value) : signed(line.value), `${(100 * line.share).toFixed(1)} %`, line.pv.slice(1).join(" ")];
    for (const text of cells) row.insertCell().textContent = text;
    return row;
  }
}

export function signed(value, digits = 2) {
  return `${value < 0 ? "\u2212" : "+"}${Math.abs(value).toFixed(digits)}`;
}

export function proven(value) {
  return value > 0 ? "wins" : value < 0 ? "loses" : "draws";
}
