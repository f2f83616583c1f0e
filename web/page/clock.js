// The clocks of both players: they count down here from what the server said last.
const STEP = 100; // milliseconds

export class Clock {
  constructor(root) {
    this.root = root;
    this.faces = [...root.children];
    setInterval(() => this.draw(), STEP);
    this.timer = null;
    this.since = 0;
    this.names = [];
  }

  show(view, names) {
    this.timer = view.timer;
    this.names = names;
    this.since = performance.now();
    this.root.hidden = this.timer === null;
    this.draw();
  }

  draw() {
    if (this.timer === null) return;
    const spent = (performance.now() - this.since) / 1000;
    this.faces.forEach((face, player) => {
      const running = this.timer.running === player;
      const left = Math.max(0, this.timer.left[player] - (running ? spent : 0));
      face.classList.toggle("running", running);
      const said = `${this.names[player]} ${written(left)}`;
      if (face.textContent !== said) face.textContent = said;
    });
  }
}

// Tenths stand in the last ten seconds.
function written(seconds) {
  if (seconds < 10) return seconds.toFixed(1);
  const whole = Math.ceil(seconds);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

// Minutes and an increment, such as 5+3, as the server takes them; null without clocks.
export function clockOf(text) {
  if (text.trim() === "") return null;
  const [minutes, increment] = text.split("+").map(Number);
  return [60 * minutes, increment ?? 0];
}
