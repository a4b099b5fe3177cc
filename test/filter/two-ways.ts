/** Pairs of names that nobody can tell apart, drawn. */
import fc from 'fast-check'

/** Ways to write a sign that nobody can tell apart. */
const LOOKS: readonly (readonly string[])[] = [
  ['é', 'e\u0301', 'e\u00ad\u0301', 'é\ufe0f'],
  ['Å', '\u212b', 'A\u030a'],
  ['fi', 'ﬁ', 'ｆｉ'],
  ['2', '２', '²'],
  [' ', '\u00a0', '  ', '\u3000', ' \u200b ', '\u2003', '\u202f', '\u1680', '\u2800'],
  ['x', 'x\u00ad', '\u200bx', '\u034fx', 'x\ufeff', '\u{e0001}x'],
  ['İ', 'I\u0307'],
  ['漢', '漢\u200d'],
]
/** Small and capital letters beside them. */
const CASES: readonly (readonly string[])[] = [
  ['é', 'É', 'E\u0301'],
  ['σ', 'ς', 'Σ'],
  ['i', 'İ', 'I\u0307', 'I'],
  ['fi', 'ＦＩ'],
]

function written(forms: readonly (readonly string[])[]): fc.Arbitrary<[string, string]> {
  const sign = fc.nat({ max: forms.length - 1 }).chain((at) => {
    const one = fc.constantFrom(...forms[at]!)
    return fc.tuple(one, one)
  })
  const name = fc.array(sign, { minLength: 1, maxLength: 8 })
  return name.map((pairs) => [0, 1].map((side) => pairs.map((pair) => pair[side]).join('')) as [string, string])
}

/** A text in two ways that look the same. */
export const alike = written(LOOKS)

/** The same name in two ways. */
export const twoWays = written([...LOOKS, ...CASES])
