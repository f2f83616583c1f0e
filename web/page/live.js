// The connection to the server: it is opened again when it is lost, and finds the same table again.
const FIRST = 300;
const SLOWEST = 5000;
const REFUSED = 4403;

export class Live {
  constructor(take, connected) {
    this.take = take;
    this.connected = connected;
    this.pause = FIRST;
    this.socket = null;
  }

  open() {
    const address = new URL("live", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.search = address.hash = "";
    this.socket = new WebSocket(address);
    this.socket.onopen = () => {
      const token = new URLSearchParams(location.search).get("token") ?? "";
      this.say({ t: "sit", table: location.hash.slice(1), token });
    };
    this.socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.t === "seated") {
        this.pause = FIRST;
        history.replaceState(null, "", `#${message.table}`);
        this.connected(true);
      }
      this.take(message);
    };
    this.socket.onclose = (event) => {
      if (event.code === REFUSED) {
        this.connected(false, "The token is missing or wrong");
        return;
      }
      this.connected(false);
      setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(2 * this.pause, SLOWEST);
    };
  }

  say(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
