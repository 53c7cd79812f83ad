/* script.js - sorts, filters, searches and copies in report.html. Without it everything can be read. */
"use strict";
(function () {
	const $ = id => document.getElementById(id);
	const all = (selector, of) => Array.from((of || document).querySelectorAll(selector));
	const make = (tag, text, set) => Object.assign(document.createElement(tag), {textContent: text || ""}, set);
	const count = n => n.toLocaleString("en-US");
	const MORE = 300; /* rows of found cases that are added at a time */

	/* ---- colours: the style sheet switches them, here they are remembered ---- */

	const themes = all("#theme input");
	try {
		const last = localStorage.getItem("gpuemu-theme");
		themes.forEach(t => { t.checked = last ? t.value === last : t.checked; });
		themes.forEach(t => t.addEventListener("change", () => localStorage.setItem("gpuemu-theme", t.value)));
	} catch (e) { /* no storage here */ }

	/* ---- copying ---- */

	const said = make("p", "", {className: "skip"});
	said.setAttribute("aria-live", "polite");
	document.body.append(said);

	function copied(button) {
		said.textContent = "Copied.";
		if (!button)
			return;
		button.textContent = "copied";
		setTimeout(() => { button.textContent = "copy"; }, 1500);
	}
	function copyOld(text) {
		const area = make("textarea", text);
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	function copy(text, button) {
		const write = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject();
		write.catch(() => copyOld(text)).then(() => copied(button));
	}
	const copyButton = stop => make("button", "copy", {type: "button", className: "copy", tabIndex: stop});

	/* A case as the shell takes it. */
	const quoted = text => "'" + text.replaceAll("'", "'\\''") + "'";
	function replayOf(row) {
		const kernel = row.kernel || row.closest("details.kernel");
		return kernel.dataset.replay + " " + quoted(row.cells[row.caseAt || 1].querySelector("code").textContent);
	}

	document.addEventListener("click", e => {
		const button = e.target.closest("button.copy");
		if (!button)
			return;
		const pre = button.closest("pre"), row = button.closest("tr");
		copy(pre ? pre.querySelector("code").textContent : replayOf(row), button);
	});

	/* Commands that are seen get a button; rows of cases too, and the first can be gone to. */
	function dress(part) {
		all("pre.code", part).filter(p => !p.querySelector("button") && (part !== document || !p.closest("details")))
			.forEach(p => p.prepend(copyButton(0)));
	}
	function dressRows(rows) {
		rows.forEach((row, i) => {
			row.tabIndex = i ? -1 : 0;
			if (!row.querySelector(".copy"))
				row.querySelector("code").after(copyButton(-1));
		});
	}
	dress(document);
	document.addEventListener("toggle", e => {
		if (!e.target.open)
			return;
		if (e.target.matches("details.kernel"))
			dress(e.target);
		if (e.target.matches("details.cases"))
			dressRows(all("tbody tr", e.target));
	}, true);

	/* ---- where a link leads is shown, though it be filtered away or closed ---- */

	function reveal() {
		const target = location.hash.length > 1 && $(decodeURIComponent(location.hash.slice(1)));
		const kernel = target && target.closest("details.kernel");
		if (!kernel)
			return;
		kernel.hidden = false;
		kernel.open = true;
		kernel.querySelector("summary").focus({preventScroll: true});
		kernel.scrollIntoView();
	}
	addEventListener("hashchange", reveal);
	document.addEventListener("click", e => {
		const link = e.target.closest("a[href^='#kernel-']");
		if (link && link.hash === location.hash)
			setTimeout(reveal);
	});
	reveal();

	/* ---- the table of kernels ---- */

	const form = $("filter"), table = $("kernel-table");
	if (!table)
		return;
	const body = table.tBodies[0], parts = all("details.kernel");
	const kernels = Array.from(body.rows).map((row, i) => ({
		row: row, part: parts[i], place: i, name: row.cells[0].textContent,
		text: (row.textContent + " " + row.dataset.words).toLowerCase(),
		sets: row.dataset.sets.split("\n"), role: row.dataset.role, verdict: row.dataset.verdict,
		dtypes: new Map(row.dataset.dtypes.split("\n").map(d => d.split("="))), odd: "odd" in row.dataset,
	}));

	const order = new Intl.Collator("en", {numeric: true});
	function value(kernel, column) {
		const cell = kernel.row.cells[column];
		return "n" in cell.dataset ? Number(cell.dataset.n) : cell.textContent;
	}
	function sort(th) {
		const column = th.cellIndex, was = th.getAttribute("aria-sort");
		const is = was === "ascending" ? "descending" : was === "descending" ? null : "ascending";
		const sign = is === "descending" ? -1 : 1, list = kernels.slice();
		all("th", table.tHead).forEach(t => t.removeAttribute("aria-sort"));
		if (is) {
			th.setAttribute("aria-sort", is);
			list.sort((a, b) => {
				const x = value(a, column), y = value(b, column);
				return sign * (typeof x === "number" ? x - y : order.compare(x, y)) || a.place - b.place;
			});
		}
		body.append(...list.map(k => k.row));
	}
	all("th", table.tHead).forEach(th => {
		const button = make("button", th.textContent, {type: "button"});
		th.replaceChildren(button);
		button.addEventListener("click", () => sort(th));
	});

	/* ---- filters and search ---- */

	let cases = null; /* of all kernels, read when they are first asked for */
	function allCases() {
		cases = cases || kernels.flatMap(k => all("table.cases tbody tr", k.part).map(row => ({
			row: row, kernel: k, dtype: row.cells[0].textContent, verdict: row.cells[2].textContent,
			text: (k.name + " " + row.textContent).toLowerCase(),
		})));
		return cases;
	}
	const wanted = () => ({
		words: $("f-text").value.toLowerCase().split(/\s+/).filter(w => w), set: $("f-set").value,
		role: $("f-role").value, dtype: $("f-dtype").value, verdict: $("f-verdict").value, odd: $("f-odd").checked,
	});
	const says = (text, w) => w.words.every(word => text.includes(word));
	const isOf = (k, w) => (!w.set || k.sets.includes(w.set)) && (!w.role || k.role === w.role) && (!w.odd || k.odd);
	function kernelFits(k, w) {
		const verdict = w.dtype ? k.dtypes.get(w.dtype) : k.verdict;
		return isOf(k, w) && verdict !== undefined && (!w.verdict || verdict === w.verdict) && says(k.text, w);
	}
	const caseFits = (c, w) => isOf(c.kernel, w) && (!w.dtype || c.dtype === w.dtype) &&
		(!w.verdict || c.verdict === w.verdict) && says(c.text, w);

	const found = $("found"), list = found.querySelector("div");
	let hits = [], shown = 0;
	function addRows(tbody, more) {
		const next = hits.slice(shown, shown + MORE);
		tbody.append(...next.map(c => {
			const row = c.row.cloneNode(true), cell = make("td"), link = make("a", c.kernel.name);
			all(".copy", row).forEach(b => b.remove());
			link.href = "#" + c.kernel.part.querySelector(".body").id;
			cell.append(link);
			row.prepend(cell);
			row.kernel = c.kernel.part;
			row.caseAt = 2;
			return row;
		}));
		shown += next.length;
		dressRows(Array.from(tbody.rows));
		more.hidden = shown >= hits.length;
		more.textContent = "Show more: " + count(hits.length - shown) + " are left";
	}
	/* The rows are copies: those of the kernels stay where they are. */
	function fill() {
		if (!found.open)
			return;
		const any = parts.map(p => p.querySelector("table.cases")).find(t => t);
		const box = make("div", "", {className: "wide"}), more = make("button", "", {type: "button"});
		const rows = make("table", "", {className: "cases found"});
		shown = 0;
		if (hits.length && any) {
			const head = any.tHead.cloneNode(true), tbody = make("tbody");
			head.rows[0].prepend(make("th", "Kernel", {scope: "col"}));
			rows.append(head, tbody);
			box.append(rows);
			more.addEventListener("click", () => addRows(tbody, more));
			addRows(tbody, more);
			list.replaceChildren(box, more);
		} else {
			list.replaceChildren(make("p", "None of the cases that are listed."));
		}
	}
	found.addEventListener("toggle", fill);

	function filter() {
		const w = wanted();
		let n = 0;
		for (const k of kernels) {
			k.row.hidden = k.part.hidden = !kernelFits(k, w);
			n += !k.row.hidden;
		}
		hits = allCases().filter(c => caseFits(c, w));
		$("none").hidden = n > 0;
		found.hidden = allCases().length === 0;
		found.querySelector("summary").textContent = "Cases that match: " + count(hits.length);
		$("f-count").textContent = count(n) + " of " + count(kernels.length) + " kernels, " + count(hits.length) +
			" of the " + count(allCases().length) + " cases listed";
		fill();
	}
	let asked = 0;
	function soon() {
		clearTimeout(asked);
		asked = setTimeout(filter, 30);
	}
	form.addEventListener("input", soon);
	form.addEventListener("reset", () => setTimeout(soon));
	form.addEventListener("submit", e => e.preventDefault());
	form.hidden = false;
	all(".tools").forEach(t => { t.hidden = false; });
	const openAll = open => parts.forEach(p => { p.open = open && !p.hidden; });
	$("open").addEventListener("click", () => openAll(true));
	$("close").addEventListener("click", () => openAll(false));
	filter();

	/* ---- keys ---- */

	/* From row to row, past those that are hidden. */
	function step(row, down) {
		do
			row = down ? row.nextElementSibling : row.previousElementSibling;
		while (row && row.hidden);
		if (!row)
			return false;
		(row.closest("#kernel-table") ? row.querySelector("a") : row).focus();
		return true;
	}
	document.addEventListener("keydown", e => {
		const typing = e.target.matches("input, select, textarea");
		const row = typing ? null : e.target.closest("tbody tr");
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key === "/" && !typing) {
			$("f-text").focus();
			$("f-text").select();
		} else if (e.key === "Escape" && e.target === $("f-text")) {
			form.reset();
		} else if (row && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
			if (!step(row, e.key === "ArrowDown"))
				return;
		} else if (row && e.key === "c" && row.closest("table.cases")) {
			copy(replayOf(row), row.querySelector(".copy"));
		} else {
			return;
		}
		e.preventDefault();
	});
})();
