/** Text as it stands on a line: Hebrew and Arabic from right to left, Arabic letters joined to their neighbours. */

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
/** From a right-to-left letter to the last one that only spaces, marks and signs part from it. */
const STRETCH =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[^\p{L}\p{N}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc])*/gu
const MIRRORED: Readonly<Record<string, string>> = { '(': ')', ')': '(', '[': ']', ']': '[', '<': '>', '>': '<' }

/** Letter → its forms alone, at the end, at the beginning and in the middle; two of them where it joins only backwards. */
const FORMS = formsOfLetters()

function formsOfLetters(): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, string[]>()
  for (let code = 0xfe80; code <= 0xfefc; code++) {
    const form = String.fromCharCode(code)
    const letters = form.normalize('NFKC')
    forms.set(letters, [...(forms.get(letters) ?? []), form])
  }
  return forms
}

/** The characters of a text in the order in which they are drawn, from left to right. */
export function visualOrder(text: string): string {
  if (!RIGHT_TO_LEFT.test(text)) return text
  return text.replace(STRETCH, (stretch) =>
    [...joined(stretch)]
      .reverse()
      .map((character) => MIRRORED[character] ?? character)
      .join(''),
  )
}

function joined(text: string): string {
  const letters = text.match(/\u0644[\u0622\u0623\u0625\u0627]|./gsu) ?? []
  const joinsOn = (letter: string | undefined): boolean => (FORMS.get(letter ?? '')?.length ?? 0) >= 4
  const joinsBack = (letter: string | undefined): boolean => (FORMS.get(letter ?? '')?.length ?? 0) >= 2
  return letters
    .map((letter, at) => {
      const forms = FORMS.get(letter)
      if (forms === undefined) return letter
      const before = joinsOn(letters[at - 1])
      const after = joinsOn(letter) && joinsBack(letters[at + 1])
      return forms[(before ? 1 : 0) + (after ? 2 : 0)] ?? forms[0] ?? letter
    })
    .join('')
}
