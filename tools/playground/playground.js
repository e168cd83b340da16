// The page: editors, what is asked of Python in its worker, the state in the address.
"use strict";
const at = id => document.getElementById(id), areas = { first: at("first"), second: at("second") };
const box = name => areas[name].closest(".editor"), fields = ["dims", "seed", "args", "entry", "reading"];
let worker, next = 0, begun = 0, marks = [], exercise = 0, hints = 0;

// --- Python ---------------------------------------------------------------------------------------------------------
function start() {
  const loading = performance.now();
  worker = new Worker("worker.mjs", { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.ready) { if (!next || at("stop").disabled) say(`ready after ${((performance.now() - loading) / 1000).toFixed(1)} s; nothing that you type leaves this page`); return }
    if (data.failed) return say(`Python could not be started: ${data.failed}`);
    if (data.id !== next) return;
    at("stop").disabled = true;
    say(`answered in ${((performance.now() - begun) / 1000).toFixed(2)} s`);
    show(data.answer);
  };
}
const say = text => { at("status").textContent = text };
function ask(action, more = {}) {
  at("stop").disabled = false; begun = performance.now(); say("working…");
  const proving = action === "prove", second = box("second").hidden ? "" : areas.second.value;
  const answering = action === "exercise" && EXERCISES[exercise - 1].apart;
  worker.postMessage({ id: ++next, request: { action, program: answering ? second : areas.first.value, second, claim: proving ? areas.first.value.trim() : "", assume: proving ? second : "",
    exercise: String(exercise), ...Object.fromEntries(fields.map(name => [name, at(name).value])), ...more } });
  if (action !== "explain") keep(action);
}
at("stop").onclick = () => { worker.terminate(); at("stop").disabled = true; next++; say("stopped; loading Python…"); start() };
function show(answer) {
  at("out").textContent = answer.text;
  at("out").className = answer.right === undefined ? "" : answer.right ? "right" : "wrong";
  const frame = at("frame").cloneNode(); // a new one: a frame that is filled anew now and then stays blank
  frame.hidden = !answer.page; frame.srcdoc = answer.page || ""; at("frame").replaceWith(frame);
  at("out").classList.toggle("alone", !answer.page);
  marks = answer.marks || []; list(); paint();
  if (innerWidth <= 760) document.querySelector(".answers").scrollIntoView({ block: "start" }); // there it stands below the programs
}

// what is wrong, a line each: the place leads into the editor, the rule to what it says
function list() {
  at("marks").hidden = !marks.length; at("marks").replaceChildren();
  if (marks.length) at("out").textContent = "";
  for (const mark of marks) {
    const item = document.createElement("li"), place = document.createElement("button");
    place.textContent = `${mark.program === "second" ? "second program, " : ""}line ${mark.line}:${mark.column}`;
    place.onclick = () => goto(mark);
    item.append(place, ` ${mark.message} `);
    if (RULES) { const link = document.createElement("a"); link.href = `${RULES}${mark.rule.replaceAll("/", "-")}.html`; link.textContent = mark.rule; item.append(link, " ") }
    const rule = document.createElement("button"); rule.textContent = RULES ? "here" : mark.rule; rule.setAttribute("aria-label", `what ${mark.rule} says`); rule.onclick = () => explain(mark.rule);
    item.append(rule); at("marks").append(item);
  }
}
function explain(rule) { const kept = marks; ask("explain", { rule }); const shown = worker.onmessage; worker.onmessage = event => { shown(event); if (event.data.id === next) { worker.onmessage = shown; const text = at("out").textContent; marks = kept; list(); paint(); at("out").textContent = text } } }
function goto(mark) {
  const area = areas[mark.program] || areas.first, lines = area.value.split("\n"), before = lines.slice(0, mark.line - 1).join("\n").length + (mark.line > 1 ? 1 : 0);
  const here = before + unit(lines[mark.line - 1] || "", mark.column);
  area.focus(); area.setSelectionRange(here, here);
}

// --- editors --------------------------------------------------------------------------------------------------------
const TOKENS = /(#[^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\b(def|class|for|in|if|else|while|with|return|and|or|not|True|False|None|as|range)\b|\b(\d[\w.]*)\b|@[\w.]+/g;
const make = (text, kind) => { const e = document.createElement("span"); e.textContent = text; if (kind) e.className = kind; return e };
function coloured(line) {
  const parts = []; let last = 0;
  for (const t of line.matchAll(TOKENS)) { parts.push([line.slice(last, t.index)], [t[0], t[1] ? "c" : t[2] ? "s" : t[3] || t[0][0] === "@" ? "w" : "d"]); last = t.index + t[0].length }
  return [...parts, [line.slice(last)]].filter(([text]) => text);
}
const unit = (line, column) => Array.from(line).slice(0, column - 1).join("").length; // columns count characters, strings here UTF-16
function marked(line, column) { // from the place to the end of its word; at the end of a line its last character
  const from = Math.min(unit(line, column), Math.max(line.length - 1, 0));
  return [from, from + (/^(?:[\w.]+|.)/su.exec(line.slice(from)) || [""])[0].length];
}
function paint() {
  for (const name in areas) {
    const pre = areas[name].previousElementSibling, whole = document.createDocumentFragment();
    const mine = marks.filter(m => (m.program === "second" ? "second" : "first") === name);
    areas[name].value.split("\n").forEach((line, k) => {
      const here = mine.filter(m => m.line === k + 1).map(m => marked(line, m.column)), cuts = here.flat();
      let column = 0;
      for (const [text, kind] of coloured(line)) {
        const inside = cuts.filter(c => c > column && c < column + text.length).sort((a, b) => a - b), end = column + text.length;
        for (const to of [...inside, end]) {
          if (to === column) continue;
          const span = make(line.slice(column, to), kind);
          if (here.some(([a, b]) => a <= column && to <= b)) span.classList.add("mark");
          whole.append(span); column = to;
        }
      }
      whole.append("\n");
    });
    pre.replaceChildren(whole);
  }
}
for (const name in areas) {
  areas[name].oninput = () => { marks = []; list(); paint(); at("example").value = "own" };
  areas[name].onkeydown = event => {
    if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey) { if (areas[name].dataset.leave) return; event.preventDefault(); document.execCommand("insertText", false, "    ") }
    areas[name].dataset.leave = event.key === "Escape" ? "1" : ""; // Escape, then Tab leaves the editor
    if (event.key === "Enter" && event.ctrlKey) ask(exercise ? "exercise" : box("second").hidden ? "run" : "validate");
  };
}
const two = on => { box("second").hidden = !on };

// --- examples, exercises and the address ------------------------------------------------------------------------------
function load(state) {
  at("example").value = "own";
  areas.first.value = state.first; areas.second.value = state.second || ""; two(state.second !== undefined && state.second !== "");
  at("dims").value = state.dims || ""; at("seed").value = state.seed || "0"; at("args").value = state.args || ""; at("entry").value = state.entry || ""; at("reading").value = state.reading || "ieee";
  turn(state.exercise || 0); marks = []; list(); paint();
}
function turn(number) {
  exercise = number; hints = 0; at("task").hidden = !number; at("hint").disabled = false;
  areas.second.placeholder = number && EXERCISES[number - 1].apart ? "your answer, as JSON" : "a second program to validate, or assumptions to prove under, a line each";
  if (!number) return;
  const chosen = EXERCISES[number - 1];
  at("task").firstElementChild.textContent = `${number}. ${chosen.title}. ${chosen.task}`;
  if (chosen.apart) two(true);
}
function address(action) {
  const state = { first: areas.first.value, second: box("second").hidden ? "" : areas.second.value, action, exercise };
  for (const name of fields) state[name] = at(name).value;
  return "#" + encodeURIComponent(JSON.stringify(state));
}
const keep = action => history.replaceState(null, "", address(action));
const group = (label, items) => { const g = document.createElement("optgroup"); g.label = label; items.forEach(([title, state]) => { const o = document.createElement("option"); o.textContent = title; o.value = `${label} ${title}`; o.state = state; g.append(o) }); at("example").append(g) };
group("examples", EXAMPLES.map(each => [each.title, each]));
group("exercises", EXERCISES.map((each, k) => [`${k + 1}. ${each.title}`, { first: each.start, exercise: k + 1 }]));
const own = new Option("a program of your own", "own"); own.hidden = true; at("example").append(own);
at("example").onchange = () => { // what was typed is one step back
  const chosen = at("example").selectedIndex;
  keep(""); history.pushState(null, "", location.pathname);
  load(at("example").options[chosen].state); at("example").selectedIndex = chosen;
};
at("answer").onclick = () => ask("exercise");
at("hint").onclick = () => { const all = EXERCISES[exercise - 1].hints; at("task").firstElementChild.textContent += `\nHint: ${all[hints++]}`; at("hint").disabled = hints >= all.length };
at("link").onclick = async () => { keep(""); try { await navigator.clipboard.writeText(location.href); say("copied: everything is in the address") } catch { say("everything is in the address of this page: copy it from there") } };
at("home").href = RULES ? "../index.html" : "#";
for (const button of document.querySelectorAll("[data-do]")) button.onclick = () => {
  const action = button.dataset.do;
  if ((action === "validate" || action === "prove") && box("second").hidden) { two(true); if (action === "validate") { areas.second.value = areas.first.value; paint() } }
  ask(action);
};
function fromAddress() {
  if (location.hash.length < 2) return false;
  let state;
  try { state = JSON.parse(decodeURIComponent(location.hash.slice(1))) } catch { return false }
  if (typeof state?.first !== "string") return false;
  load({ ...state, exercise: EXERCISES[state.exercise - 1] ? state.exercise : 0 });
  if (document.querySelector(`[data-do="${CSS.escape(state.action || "")}"]`) || state.action === "exercise" && exercise) ask(state.action);
  return true;
}
start();
if (!fromAddress()) { load(EXAMPLES[0]); at("example").selectedIndex = 0 }
addEventListener("hashchange", fromAddress);
