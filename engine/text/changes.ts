/** The differences between two texts, line by line, for people. */

const CONTEXT = 1

type Line = readonly [sign: ' ' | '+' | '-', number: number, text: string]

/** The changed lines with their numbers and a neighbour on each side; every line of a text that was not there before. */
export function changedLines(before: string | undefined, after: string): string {
  const lines = before === undefined ? linesOf(after).map(added) : compared(linesOf(before), linesOf(after))
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

/** By the longest lines in common: what is left of either text was taken out or added. */
function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  const common = before.map(() => new Uint32Array(after.length + 1))
  common.push(new Uint32Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      common[i]![j] =
        before[i] === after[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push([' ', j + 1, after[j]!])
      i += 1
      j += 1
    } else if (i < before.length && (j >= after.length || common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push(['-', i + 1, before[i]!])
      i += 1
    } else {
      lines.push(['+', j + 1, after[j]!])
      j += 1
    }
  }
  return lines
}
