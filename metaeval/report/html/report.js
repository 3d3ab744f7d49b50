// Sorting and filtering of tables. Without it the page reads as it stands.
"use strict";

const NUMBERS = new Intl.NumberFormat("en");

function key(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const text = cell.textContent.trim();
  return text === "" || cell.classList.contains("undefined") ? null : text.toLowerCase();
}

function compare(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

function sort(table, column, direction) {
  const rows = [...table.tBodies[0].rows].map((row) => [key(row, column), row]);
  // What has no value stays at the end, whichever way one sorts.
  rows.sort(([a], [b]) => (a === null ? (b === null ? 0 : 1) : b === null ? -1 : direction * compare(a, b)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (column > 0 && [...table.tBodies[0].rows].every((row) => row.cells[column].textContent.trim() === "")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      const first = head.classList.contains("number") && !button.textContent.startsWith("p") ? "descending" : "ascending";
      const now = was === null ? first : was === "ascending" ? "descending" : "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", now);
      sort(table, column, now === "ascending" ? 1 : -1);
    });
  });
}

function makeFilterable(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 8) return;
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const box = document.createElement("label");
  box.className = "filter";
  const input = document.createElement("input");
  input.type = "search";
  const count = document.createElement("output");
  box.append("Filter ", input, count);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of rows) {
      row.hidden = !words.every((word) => texts.get(row).includes(word));
      left += row.hidden ? 0 : 1;
    }
    count.textContent = words.length ? `${NUMBERS.format(left)} of ${NUMBERS.format(rows.length)} rows` : "";
  });
  table.parentElement.before(box);
}

for (const table of document.querySelectorAll(".table > table")) {
  makeSortable(table);
  makeFilterable(table);
}

addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => (part.open = true)));
