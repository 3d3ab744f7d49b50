// A dot plot of the main table, drawn from the table itself. Plotly's SVG traces only: its WebGL ones need eval.

const source = document.getElementById("chart-module").dataset.plotly;
let loading = null;

// 5 MB, so only when a chart is about to be seen.
function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = () => resolve(window.Plotly);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

function points(table) {
  const rows = [...table.tBodies[0].rows].filter((row) => row.dataset.value && !row.hidden);
  return rows.map(({ dataset }) => ({
    metric: dataset.metric,
    isConfirmatory: dataset.role === "confirmatory",
    value: Number(dataset.value),
    low: dataset.low ? Number(dataset.low) : null,
    high: dataset.high ? Number(dataset.high) : null,
  }));
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function trace(found) {
  const ink = colour("--ink");
  return {
    type: "scatter",
    mode: "markers",
    x: found.map((point) => point.value),
    y: found.map((point) => point.metric),
    error_x: {
      type: "data",
      symmetric: false,
      array: found.map((point) => (point.high === null ? 0 : point.high - point.value)),
      arrayminus: found.map((point) => (point.low === null ? 0 : point.value - point.low)),
      color: ink,
      thickness: 1.5,
      width: 4,
    },
    marker: {
      size: 10,
      color: ink,
      symbol: found.map((point) => (point.isConfirmatory ? "circle" : "circle-open")),
      line: { width: 2 },
    },
    hovertemplate: "%{y}: %{x:.3f}<extra></extra>",
  };
}

function layout(found, label, width) {
  const line = colour("--line");
  const title = width < 560 ? label.replace(", ", ",<br>") : label;
  return {
    height: 96 + 28 * found.length,
    margin: { l: 8, r: 16, t: 8, b: 56 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 14, color: colour("--ink") },
    showlegend: false,
    dragmode: false,
    xaxis: { title: { text: title, font: { size: 14 } }, gridcolor: line, zerolinecolor: colour("--edge"), fixedrange: true },
    yaxis: { type: "category", autorange: "reversed", automargin: true, gridcolor: line, fixedrange: true },
  };
}

async function draw(place) {
  const table = document.getElementById(place.dataset.chart);
  const found = table ? points(table) : [];
  place.closest("figure").hidden = found.length === 0;
  if (found.length === 0) return;
  const Plotly = await plotly();
  await Plotly.react(place, [trace(found)], layout(found, place.dataset.label, place.clientWidth), {
    displayModeBar: false,
    responsive: true,
  });
  place.dataset.drawn = "true";
}

function drawAll() {
  for (const place of document.querySelectorAll("[data-chart]")) draw(place);
}

document.addEventListener("table:changed", (event) => {
  if (document.querySelector(`[data-chart="${event.target.id}"]`)) drawAll();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.querySelector?.("[data-chart]") || event.detail.elt.id === "results") drawAll();
});
drawAll();
