/** Pairs of names that nobody can tell apart, drawn. */
import fc from 'fast-check'

/** Ways to write a sign that nobody can tell apart. */
const FORMS: readonly (readonly string[])[] = [
  ['é', 'e\u0301', 'É', 'e\u00ad\u0301', 'é\ufe0f'],
  ['Å', '\u212b', 'å', 'A\u030a'],
  ['fi', 'ﬁ', 'ＦＩ'],
  ['2', '２', '²'],
  [' ', '\u00a0', '  ', '\u3000', ' \u200b ', '\u2003', '\u202f', '\u1680', '\u2800'],
  ['x', 'x\u00ad', '\u200bx', '\u034fx', 'X\ufeff', '\u{e0001}x'],
  ['σ', 'ς', 'Σ'],
  ['i', 'İ', 'I\u0307', 'I'],
  ['漢', '漢\u200d'],
]

/** The same name in two ways. */
export const twoWays = fc
  .array(
    fc
      .nat({ max: FORMS.length - 1 })
      .chain((at) => fc.tuple(fc.constantFrom(...FORMS[at]!), fc.constantFrom(...FORMS[at]!))),
    { minLength: 1, maxLength: 8 },
  )
  .map((pairs) => [0, 1].map((side) => pairs.map((pair) => pair[side]).join('')) as [string, string])
