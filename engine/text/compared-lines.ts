/** The longest lines that two texts have in common, and what is left of either. Pure. */

/** ' ' is a line of both, `-` one of the text before, `+` one of the text after. */
export type Sign = ' ' | '+' | '-'

/** The lines of both texts in their order; what is taken out comes before what is added in its place. */
export function comparedLines(
  before: readonly string[],
  after: readonly string[],
): readonly (readonly [sign: Sign, text: string])[] {
  const common = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      common[i]![j] =
        before[i] === after[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const lines: (readonly [Sign, string])[] = []
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push([' ', before[i]!])
      i += 1
      j += 1
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push(['-', before[i++]!])
    else lines.push(['+', after[j++]!])
  }
  const removed = before.slice(i).map((text): readonly [Sign, string] => ['-', text])
  return [...lines, ...removed, ...after.slice(j).map((text): readonly [Sign, string] => ['+', text])]
}
