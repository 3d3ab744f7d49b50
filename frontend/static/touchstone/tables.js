// Tables that sort and filter where they stand. Without JavaScript they are read in the server's order.

// A cell sorts by data-sort where it has one: what is shown carries an interval and a typographic minus.
function key(row, column) {
  const cell = row.cells[column];
  const text = cell?.dataset.sort ?? cell?.textContent.trim() ?? "";
  const number = Number(text.replace("−", "-").replaceAll(",", ""));
  return text === "" ? null : Number.isNaN(number) ? text.toLowerCase() : number;
}

function compare(a, b) {
  if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b);
  return typeof a === "number" ? -1 : 1;
}

function sort(table, head) {
  const column = head.cellIndex;
  const descending = head.getAttribute("aria-sort") === "descending";
  // Numbers start with the largest: the best metric is what people look for.
  const isNumber = head.classList.contains("number");
  const order = head.hasAttribute("aria-sort") ? (descending ? "ascending" : "descending") : isNumber ? "descending" : "ascending";
  const rows = [...table.tBodies[0].rows].map((row) => [key(row, column), row]);
  rows.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null); // what is undefined stays last
    return order === "ascending" ? compare(a, b) : compare(b, a);
  });
  for (const other of table.tHead.rows[0].cells) mark(other, other === head ? order : "");
  table.tBodies[0].append(...rows.map(([, row]) => row));
  tell(table);
}

// The chart shows the rows that the table shows, in its order.
function tell(table) {
  table.dispatchEvent(new CustomEvent("table:changed", { bubbles: true }));
}

function mark(head, order) {
  if (order) head.setAttribute("aria-sort", order);
  else head.removeAttribute("aria-sort");
  const arrow = head.querySelector(".arrow");
  if (arrow) arrow.textContent = order === "ascending" ? "↑" : order ? "↓" : "";
}

function makeSortable(table) {
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    const arrow = document.createElement("span");
    arrow.className = "arrow";
    arrow.ariaHidden = "true";
    button.append(arrow);
    button.addEventListener("click", () => sort(table, head));
    head.append(button);
  }
  table.dataset.sortable = "done";
}

function filter(input) {
  const wanted = input.value.trim().toLowerCase();
  const table = document.getElementById(input.dataset.filter);
  for (const row of table.tBodies[0].rows) {
    const text = row.dataset.metric ?? row.textContent;
    row.hidden = !text.toLowerCase().includes(wanted);
  }
  tell(table);
}

function start() {
  for (const table of document.querySelectorAll('table[data-sortable=""]')) makeSortable(table);
  for (const part of document.querySelectorAll("[data-needs-script]")) part.hidden = false;
}

document.addEventListener("input", (event) => {
  if (event.target.dataset.filter) filter(event.target);
});
document.addEventListener("htmx:afterSettle", start);
start();
