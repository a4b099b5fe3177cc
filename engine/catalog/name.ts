/** Names for people and tables, made from the names authors write: `ticket_comments` → `Ticket Comment`. */

const IRREGULAR: Readonly<Record<string, string>> = {
  children: 'child',
  knowledge: 'knowledge',
  media: 'media',
  men: 'man',
  movies: 'movie',
  news: 'news',
  people: 'person',
  series: 'series',
  women: 'woman',
}

/** The singular of an English plural; a word that is none stays as it is. Only the last word of a name changes. */
export function singular(name: string): string {
  const start = Math.max(name.lastIndexOf('_'), name.lastIndexOf('-')) + 1
  const word = name.slice(start)
  return name.slice(0, start) + singularWord(word)
}

function singularWord(word: string): string {
  const irregular = IRREGULAR[word.toLowerCase()]
  if (irregular !== undefined) return irregular
  if (/[^aeiou]ies$/i.test(word)) return `${word.slice(0, -3)}y`
  if (/([^ao]us|ss|x|ch|sh|zz)es$/i.test(word)) return word.slice(0, -2)
  if (/s$/i.test(word) && !/(ss|us|is)$/i.test(word)) return word.slice(0, -1)
  return word
}

const PLURALS: ReadonlyMap<string, string> = new Map(Object.entries(IRREGULAR).map(([many, one]) => [one, many]))

/** The English plural of a singular; only the last word of a name changes. */
export function plural(name: string): string {
  const start = Math.max(...['_', '-', ' '].map((between) => name.lastIndexOf(between))) + 1
  const word = name.slice(start)
  const irregular = PLURALS.get(word.toLowerCase())
  if (irregular !== undefined) return name.slice(0, start) + (/^[A-Z]/.test(word) ? capitalized(irregular) : irregular)
  if (/[^aeiou]y$/i.test(word)) return `${name.slice(0, -1)}ies`
  if (/(ss|us|is|x|ch|sh|z)$/i.test(word)) return `${name}es`
  return /s$/i.test(word) ? name : `${name}s`
}

/** The words of a name in snake, kebab or camel case. */
function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[_\-\s]+/)
    .filter((word) => word !== '')
}

/** Words that people write in capitals. */
const INITIALISMS = new Set(
  'ai api cc csv ean faq html http https iban id ip isbn json kpi otp pdf rp sku sla sms sql sso uid uri url utc uuid vat xlsx xml'.split(
    ' ',
  ),
)

/** A word as people write it: `sla` → `SLA`, `urls` → `URLs`; any other stays as it is. */
function spelt(word: string): string {
  if (INITIALISMS.has(word.toLowerCase())) return word.toUpperCase()
  return /.s$/i.test(word) && INITIALISMS.has(word.slice(0, -1).toLowerCase())
    ? `${word.slice(0, -1).toUpperCase()}s`
    : word
}

const titled = (name: string): string =>
  words(name)
    .map((word) => capitalized(spelt(word)))
    .join(' ')

/** A resource's default label: singular, every word capitalized. */
export function resourceLabel(name: string): string {
  return titled(singular(name))
}

/** A resource's default label for many records: its name, every word capitalized. */
export function resourceHeading(name: string): string {
  return titled(name)
}

/** A field's or relation's default label: a sentence's beginning, `first_name` → `First name`, `sla_state` → `SLA state`. */
export function fieldLabel(name: string): string {
  return capitalized(
    words(name)
      .map((word) => spelt(word.toLowerCase()))
      .join(' '),
  )
}

/** A label inside a sentence: `Due date` → `due date`; words in capitals stay as they are, `FAQ`. */
export function inSentence(label: string): string {
  return label.replace(/\p{L}+/gu, (word) => (/\p{Lu}.*\p{Lu}/u.test(word) ? word : word.toLowerCase()))
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
