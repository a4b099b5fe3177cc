/** The differences between two texts as a patch that `git apply` and `patch -p1` take. Pure. */
import { comparedLines, type Sign } from './compared-lines.ts'

/** Unchanged lines around a change. */
const CONTEXT = 3

type Line = readonly [sign: Sign, text: string]

/** The patch of one file by its path; undefined: the file is not there before, or afterwards. Empty where nothing differs. */
export function patchOf(file: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const from = before === undefined ? '/dev/null' : `a/${file}`
  const to = after === undefined ? '/dev/null' : `b/${file}`
  const mode = before === undefined ? 'new file mode 100644\n' : after === undefined ? 'deleted file mode 100644\n' : ''
  const hunks = hunksOf(compared(linesOf(before), linesOf(after)))
  return `diff --git a/${file} b/${file}\n${mode}--- ${from}\n+++ ${to}\n${hunks.join('')}`
}

/** The lines of a text, each with its break; the last may have none. */
function linesOf(text = ''): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** What both have at their beginning and end stays; between that, the longest lines in common. */
function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  let first = 0
  while (first < before.length && first < after.length && before[first] === after[first]) first += 1
  let last = 0
  const most = Math.min(before.length, after.length) - first
  while (last < most && before.at(-1 - last) === after.at(-1 - last)) last += 1
  const kept = (text: string): Line => [' ', text]
  return [
    ...before.slice(0, first).map(kept),
    ...between(before.slice(first, before.length - last), after.slice(first, after.length - last)),
    ...before.slice(before.length - last).map(kept),
  ]
}

/** More lines than this are taken out and added as a whole: comparing them would take too long. */
const MOST_COMPARED = 2_000

function between(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length <= MOST_COMPARED && after.length <= MOST_COMPARED) return comparedLines(before, after)
  return [...before.map((text): Line => ['-', text]), ...after.map((text): Line => ['+', text])]
}

/** Groups of changes with the lines around them; `@@` says where each is. */
function hunksOf(lines: readonly Line[]): readonly string[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(([sign]) => sign !== ' '),
  )
  const hunks: string[] = []
  let [old, next] = [1, 1]
  for (let at = 0; at < lines.length; ) {
    if (!isNear[at]) {
      at += 1
      old += 1
      next += 1
      continue
    }
    let end = at
    while (end < lines.length && isNear[end]) end += 1
    const own = lines.slice(at, end)
    const removed = own.filter(([sign]) => sign !== '+').length
    const added = own.filter(([sign]) => sign !== '-').length
    hunks.push(`@@ -${rangeOf(old, removed)} +${rangeOf(next, added)} @@\n${own.map(printed).join('')}`)
    old += removed
    next += added
    at = end
  }
  return hunks
}

function rangeOf(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`
}

function printed([sign, text]: Line): string {
  return text.endsWith('\n') ? `${sign}${text}` : `${sign}${text}\n\\ No newline at end of file\n`
}
