/** Reports as text: what each is about, what was looked at with its verdicts, and what comes of it. */
import type { ApiError } from '../error.ts'

/** Something that was looked at: a rule, a write, a statement. */
export interface Finding {
  readonly text: string
  /** What belongs to it, each with verdicts of its own. */
  readonly parts?: readonly Finding[]
  readonly verdicts?: readonly string[]
}

/** Findings of one kind. */
export interface Section {
  readonly title: string
  readonly findings: readonly Finding[]
}

/** A report for people. */
export interface Report {
  readonly head: readonly string[]
  readonly sections: readonly Section[]
  readonly outcome?: string
}

/** The lines of a report; a section without findings is left out. */
export function render({ head, outcome, sections }: Report): string {
  const found = sections.filter(({ findings }) => findings.length > 0)
  return [
    ...head,
    ...found.flatMap(({ findings, title }) => [`  ${title}:`, ...findings.flatMap((one) => linesOf(one, '    '))]),
    ...(outcome === undefined ? [] : [`  outcome: ${outcome}`]),
  ].join('\n')
}

function linesOf({ parts = [], text, verdicts = [] }: Finding, indent: string): readonly string[] {
  return [
    `${indent}${text}`,
    ...parts.flatMap((part) => linesOf(part, `${indent}  `)),
    ...verdicts.map((verdict) => `${indent}  → ${verdict}`),
  ]
}

/** Whether something speaks of the caller of a request, in words. */
export function speaksWords(speaks: boolean): string {
  return speaks ? 'is for this caller' : 'not for this caller'
}

/** A refusal in one line, with its mistakes by field. */
export function refusalWords({ message, params }: ApiError): string {
  const mistakes = Object.entries(params.errors ?? {}).map(([name, sentences]) => `${name}: ${sentences.join('; ')}`)
  return [message, ...mistakes].join(', ')
}
