/** The differences between two texts, line by line, for people. */
import { comparedLines, type Sign } from './compared-lines.ts'

const CONTEXT = 1

type Line = readonly [sign: Sign, number: number, text: string]

/** The changed lines with their numbers and a neighbour on each side; every line of a text that was not there before. */
export function changedLines(before: string | undefined, after: string): string {
  const lines = before === undefined ? linesOf(after).map(added) : numbered(linesOf(before), linesOf(after))
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([sign]) => sign !== ' '),
  )
  const width = String(Math.max(0, ...lines.map(([, number]) => number))).length
  const shown: string[] = []
  for (const [index, [sign, number, text]] of lines.entries()) {
    if (near[index]) shown.push(`  ${String(number).padStart(width)} ${sign} ${text}`.trimEnd())
    else if (near[index - 1] && near.indexOf(true, index) !== -1) shown.push(`  ${'⋮'.padStart(width)}`)
  }
  return shown.join('\n')
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}

function added(text: string, index: number): Line {
  return ['+', index + 1, text]
}

/** Each line with its number: what was taken out has that of the text before, the others that of the text after. */
function numbered(before: readonly string[], after: readonly string[]): readonly Line[] {
  let [old, next] = [0, 0]
  return comparedLines(before, after).map(([sign, text]): Line => {
    if (sign !== '+') old += 1
    if (sign !== '-') next += 1
    return [sign, sign === '-' ? old : next, text]
  })
}
