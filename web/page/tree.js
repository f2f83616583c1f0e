// The tree of a search, which can be walked: each position opens to those after its best moves.
import { proven, signed } from "./panel.js";

// Shows the tree below a root; one generation is open.
export function showTree(place, root) {
  place.replaceChildren(...root.children.map(branch));
  if (root.children.length === 0) place.textContent = "No search has been here; Analyse begins one.";
  place.hidden = false;
}

function branch(node) {
  const value = node.proven ? proven(node.value) : signed(node.value, 3);
  const said = `${node.move}  ${value}  ${node.visits.toLocaleString()} visits`;
  if (node.children.length === 0) {
    const leaf = document.createElement("p");
    leaf.textContent = said;
    return leaf;
  }
  const made = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = said;
  made.append(summary, ...node.children.map(branch));
  return made;
}
