//! Reports on standard error, as a compiler's: place, line, caret, reason.
//!
//! **A report is as short as its reader's patience, whatever the text**: so
//! many problems a file, and of a line what fits beside the place in question.
//! Only lines and columns take a look at all of the text, and one is enough.

use std::{
    collections::BTreeMap,
    io::{self, IsTerminal, Write},
    ops::Range,
};

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Renderer, Snippet,
    renderer::{DEFAULT_LINE_NUM_STYLE, Style},
};
use anstream::{AutoStream, stream::RawStream};
use clap::ColorChoice;

use crate::{
    cli::{
        arguments::ReportArguments,
        excerpt::{Excerpt, Position, Positions},
    },
    defect::RelatedPlace,
    problem::{self, Problem},
    repair::{Edit, Report, Rule},
    wording::quoted,
};

/// What a report says about the edits of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edits {
    /// The text needs them, and does not get them: they are errors.
    Needed,
    /// They were made, and are shown.
    Made,
    /// A diff shows them, and leaves their doubts to be told.
    InDiff,
}

/// Writes reports.
///
/// Whether they arrive is nobody's concern: a run goes on without a reader.
pub(super) struct Reporter {
    stderr: AutoStream<io::StderrLock<'static>>,
    renderer: Renderer,
    line_number_style: Style,
    /// How many columns of a line are shown.
    width: usize,
    max_problems: usize,
    quiet: bool,
    /// Whether an error was written last. Errors are lines, and stand together;
    /// what is longer keeps its distance.
    is_after_error: bool,
    /// The problems that are kept until it is known whether they are to be told.
    held: Option<String>,
}

/// The text whose problems are reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'text> {
    /// What its file is called.
    pub(super) name: &'text str,
    /// All of it; what lies behind the candidate does not matter.
    pub(super) text: &'text str,
    /// Its number, if it is one of the lines of JSON Lines.
    pub(super) line: Option<usize>,
}

/// How many problems were shown, of those that may be, and how many were not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    most: usize,
    shown: usize,
    hidden: usize,
}

impl Quota {
    /// Counts `wanted` problems more, and says how many of them may be shown.
    pub(super) fn take(&mut self, wanted: usize) -> usize {
        let shown = wanted.min(self.most - self.shown);
        self.shown += shown;
        self.hidden += wanted - shown;
        shown
    }

    /// Whether another one may be shown.
    pub(super) fn is_any_left(&self) -> bool {
        self.shown < self.most
    }

    /// The same for what is told once in any case.
    pub(super) fn of_one_at_least(self) -> Quota {
        Quota { most: self.most.max(1), ..self }
    }

    /// How many problems were not shown.
    pub(super) fn hidden(&self) -> usize {
        self.hidden
    }
}

/// How wide a report is where there is no terminal to tell.
const DEFAULT_WIDTH: usize = 120;
/// On a narrower terminal lines wrap; on a wider one a longer excerpt would
/// not help.
const WIDTHS: [usize; 2] = [40, 160];
/// What stands in a line besides its number and its text: ` | `, and an
/// ellipsis at each end.
const GUTTER: usize = 5;
/// A related place that is so many lines away has a note instead of a line.
const FARTHEST_LINE: usize = 10_000;

/// Whether output to `stream` is to be in colours.
pub(super) fn has_colors(choice: ColorChoice, stream: &impl RawStream) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            stream.is_terminal() && AutoStream::choice(stream) != anstream::ColorChoice::Never
        }
    }
}

/// A count and its noun.
pub(super) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The verb for a count.
pub(super) fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// `2 of 3 files`, or `1 file` where there is no other.
pub(super) fn of_files(count: usize, all: usize) -> String {
    if count == all { plural(all, "file") } else { format!("{count} of {}", plural(all, "file")) }
}

/// A problem as it is shown.
struct Finding {
    problem: Problem,
    level: Level<'static>,
    notes: Vec<String>,
}

impl Reporter {
    /// Reports to standard error.
    pub(super) fn new(arguments: &ReportArguments) -> Reporter {
        let stderr = io::stderr().lock();
        let has_colors = has_colors(arguments.color, &stderr);
        let width = if stderr.is_terminal() { terminal_size::terminal_size_of(&stderr) } else { None };
        let width = width.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0));
        let renderer = if has_colors { Renderer::styled() } else { Renderer::plain() };
        Reporter {
            stderr: if has_colors { AutoStream::always(stderr) } else { AutoStream::never(stderr) },
            // The renderer can crop lines, but has to read all of them for it.
            renderer: renderer.term_width(usize::MAX / 2),
            line_number_style: if has_colors { DEFAULT_LINE_NUM_STYLE } else { Style::new() },
            width: width.clamp(WIDTHS[0], WIDTHS[1]),
            max_problems: arguments.max_problems,
            quiet: arguments.quiet,
            is_after_error: false,
            held: None,
        }
    }

    /// Says what kept a file from being read or written.
    pub(super) fn error(&mut self, message: &str) {
        let title = Group::with_title(Level::ERROR.primary_title(message));
        let report = self.renderer.render(&[title]);
        self.write(&format!("{report}\n"));
        self.is_after_error = true;
    }

    /// Says what came of it all.
    pub(super) fn summary(&mut self, lines: &[String]) {
        if !self.quiet {
            for line in lines {
                self.write(&format!("{line}\n"));
            }
        }
    }

    /// Reports the edits of `report`, and the error that they leave.
    pub(super) fn problems(&mut self, name: &str, text: &str, report: &Report, edits: Edits) {
        let mut quota = self.quota();
        self.show(Subject { name, text, line: None }, report, edits, &mut quota);
        self.hidden(name, &[quota]);
    }

    /// Whether nothing is reported but what kept a file from being read or
    /// written.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// How much may be shown of a file.
    pub(super) fn quota(&self) -> Quota {
        Quota { most: self.max_problems, shown: 0, hidden: 0 }
    }

    /// The same, as far as `quota` goes.
    pub(super) fn show(&mut self, subject: Subject<'_>, report: &Report, edits: Edits, quota: &mut Quota) {
        if self.quiet {
            return;
        }
        let told = match edits {
            Edits::Needed | Edits::Made => report.edit_count(),
            Edits::InDiff => report.edits().filter(|edit| edit.doubt.is_some()).count(),
        };
        let shown = quota.take(told + usize::from(!report.is_valid()));
        if shown == 0 {
            return;
        }
        let source = Subject { text: &subject.text[..report.candidate_len()], ..subject };
        let findings = findings(source.text, report, edits, shown);
        let positions = positions(source, &findings);
        if std::mem::take(&mut self.is_after_error) {
            self.write("\n");
        }
        for finding in &findings {
            let report = self.render(source, finding, &positions);
            self.write(&report);
        }
    }

    /// Says how many problems of the file were not shown.
    pub(super) fn hidden(&mut self, name: &str, quotas: &[Quota]) {
        let hidden: usize = quotas.iter().map(|quota| quota.hidden).sum();
        if hidden > 0 {
            let is_any_shown = quotas.iter().any(|quota| quota.shown > 0);
            let problems = plural(hidden, if is_any_shown { "more problem" } else { "problem" });
            let are = are(hidden);
            self.write(&format!("note: {problems} in {name} {are} not shown (see `--max-problems`)\n\n"));
        }
    }

    /// Keeps what is reported from now on, until it is told or dropped.
    pub(super) fn hold(&mut self) {
        self.held = Some(String::new());
    }

    /// Tells what was kept.
    pub(super) fn tell_held(&mut self) {
        if let Some(held) = self.held.take() {
            self.write(&held);
        }
    }

    /// Drops what was kept.
    pub(super) fn drop_held(&mut self) {
        self.held = None;
    }

    fn render(&self, subject: Subject<'_>, finding: &Finding, positions: &Positions) -> String {
        let Subject { name, text: source, .. } = subject;
        let Finding { problem, level, notes } = finding;
        let Position { line, column } = positions.of(problem.range.start);
        let width = self.width.saturating_sub(GUTTER + line.to_string().len());
        let mut view = View::new(source, problem, positions, width);
        let far_places = std::mem::take(&mut view.far_places).into_iter().map(|place| {
            let Position { line, column } = positions.of(place.range.start);
            format!("{} ({name}:{line}:{column})", place.message)
        });
        let notes = far_places.chain(notes.iter().cloned()).map(|note| Level::NOTE.message(note));
        let title = level.clone().primary_title(&problem.message).id(problem.code);
        let indent = " ".repeat(view.last_line().to_string().len());
        let body = Group::with_level(level.clone()).element(view.into_snippet(source)).elements(notes);
        let style = self.line_number_style;
        // The renderer would count columns of what it is given, which may be
        // the middle of a line.
        let place = format!("{indent}{style}-->{style:#} {name}:{line}:{column}");
        let [title, body] = [Group::with_title(title), body].map(|group| self.renderer.render(&[group]));
        format!("{title}\n{place}\n{body}\n\n")
    }

    fn write(&mut self, report: &str) {
        match &mut self.held {
            Some(held) => held.push_str(report),
            None => {
                let _ = self.stderr.write_all(report.as_bytes());
            }
        }
    }
}

/// The first `most` things to show, in the order of the text. Where not all
/// can be shown, what is wrong with the whole text is.
fn findings(source: &str, report: &Report, edits: Edits, most: usize) -> Vec<Finding> {
    let of_edit = |edit: Edit| {
        let mut problem = problem::of_edit(source, report, &edit);
        let level = match (edits, edit.doubt) {
            (Edits::Needed, _) => Level::ERROR,
            (Edits::Made, None) => Level::NOTE.with_name("repaired"),
            (Edits::Made | Edits::InDiff, _) => Level::WARNING,
        };
        if edits == Edits::Made {
            problem.message = made(source, report, &edit);
        }
        let doubt = edit.doubt.map(|doubt| format!("this edit is doubtful: {doubt}"));
        Finding { problem, level, notes: doubt.into_iter().collect() }
    };
    let error = problem::of_json_error(source, report);
    let error = error.map(|problem| Finding { problem, level: Level::ERROR, notes: Vec::new() });
    let shown = report.closing_edit().into_iter().chain(report.deletions());
    let shown = shown.filter(|edit| edits != Edits::InDiff || edit.doubt.is_some());
    let mut findings: Vec<Finding> = error.into_iter().chain(shown.map(of_edit)).take(most).collect();
    findings.sort_by_key(|finding| finding.problem.range.start);
    findings
}

/// What was done about the problem that `edit` repairs.
fn made(source: &str, report: &Report, edit: &Edit) -> String {
    match edit.rule {
        Rule::RemoveComments => "removed a comment".to_owned(),
        Rule::RemoveTrailingCommas => "removed a trailing comma".to_owned(),
        Rule::CloseTruncated => {
            let closers = quoted(&edit.inserted);
            let last = problem::last_value(source, report);
            format!("closed the truncated text with {closers}; {last} may be incomplete")
        }
    }
}

/// The positions of all that `findings` speak of.
fn positions(subject: Subject<'_>, findings: &[Finding]) -> Positions {
    let offsets = findings.iter().flat_map(|Finding { problem, .. }| {
        let related = problem.related.iter().flat_map(|place| [place.range.start, place.range.end]);
        [problem.range.start, problem.range.end].into_iter().chain(related)
    });
    Positions::find(subject.text, offsets.collect(), subject.line)
}

/// The lines of a text that show a problem.
struct View<'problem> {
    /// By line number; one at least.
    excerpts: BTreeMap<usize, Excerpt>,
    marks: Vec<Mark<'problem>>,
    /// The related places that none of the excerpts hold.
    far_places: Vec<&'problem RelatedPlace>,
    width: usize,
}

/// What is underlined.
struct Mark<'problem> {
    line: usize,
    range: &'problem Range<usize>,
    kind: AnnotationKind,
    label: Option<String>,
}

impl<'problem> View<'problem> {
    fn new(source: &str, problem: &'problem Problem, positions: &Positions, width: usize) -> View<'problem> {
        let line = positions.of(problem.range.start).line;
        let last_line = positions.of(problem.range.end).line;
        // The first line of a comment will do.
        let spans_lines = problem.code == Rule::RemoveComments.as_str() && line < last_line;
        let label = spans_lines.then(|| format!("it ends on line {last_line}"));
        let mark = Mark { line, range: &problem.range, kind: AnnotationKind::Primary, label };
        let excerpt = Excerpt::around(source, &problem.range, width);
        let mut view = View {
            excerpts: BTreeMap::from([(line, excerpt)]),
            marks: vec![mark],
            far_places: Vec::new(),
            width,
        };
        // What stands at the problem itself is seen there.
        for place in problem.related.iter().filter(|place| place.range.start != problem.range.start) {
            view.add(source, place, positions);
        }
        view
    }

    fn add(&mut self, source: &str, place: &'problem RelatedPlace, positions: &Positions) {
        let [line, last_line] = [place.range.start, place.range.end].map(|offset| positions.of(offset).line);
        if line.abs_diff(self.marks[0].line) > FARTHEST_LINE {
            self.far_places.push(place);
            return;
        }
        let excerpt =
            self.excerpts.entry(line).or_insert_with(|| Excerpt::around(source, &place.range, self.width));
        if excerpt.holds(place.range.start) {
            let ends =
                if line < last_line { format!(", and ends on line {last_line}") } else { String::new() };
            let label = Some(format!("{}{ends}", place.message));
            self.marks.push(Mark { line, range: &place.range, kind: AnnotationKind::Context, label });
        } else {
            self.far_places.push(place);
        }
    }

    fn last_line(&self) -> usize {
        self.excerpts.keys().next_back().copied().unwrap_or(1)
    }

    /// A text whose lines have the numbers of the real ones, and are empty
    /// where they are not shown.
    fn into_snippet(self, source: &str) -> Snippet<'static, Annotation<'static>> {
        let first_line = self.excerpts.keys().next().copied().unwrap_or(1);
        let mut text = String::new();
        let mut starts = BTreeMap::new();
        let mut previous: Option<(usize, &Excerpt)> = None;
        for (line, excerpt) in &self.excerpts {
            if let Some((previous_line, previous)) = previous {
                text.push('\n');
                if previous_line + 2 == *line {
                    // The renderer shows a single line rather than dots.
                    let start = previous.next_line(source);
                    let between = start.map(|start| Excerpt::around(source, &(start..start), self.width));
                    text.push_str(&between.map_or_else(String::new, |between| between.shown));
                }
                text.extend(std::iter::repeat_n('\n', line - previous_line - 1));
            }
            starts.insert(*line, text.len());
            // The renderer counts no last line that is empty.
            text.push_str(if excerpt.shown.is_empty() { " " } else { &excerpt.shown });
            previous = Some((*line, excerpt));
        }
        let annotations: Vec<Annotation<'static>> = self
            .marks
            .into_iter()
            .filter_map(|Mark { line, range, kind, label }| {
                let (excerpt, start) = (self.excerpts.get(&line)?, starts.get(&line)?);
                let [from, to] =
                    [range.start, range.end].map(|offset| start + excerpt.offset_in_shown(source, offset));
                Some(kind.span(from..to).label(label))
            })
            .collect();
        Snippet::source(text).line_start(first_line).annotations(annotations)
    }
}
