/** Digests of an automation: one mail with several records, where one request would send a person a mail for each. */
import type { NamedMail } from './send.ts'

/** A mail about one record, before it is sent or becomes part of a digest. */
export interface Letter {
  readonly mail: NamedMail
  readonly id: string
  readonly record: number | undefined
  /** The request that caused the run; null without one. */
  readonly request: string | null
  /** The filled words of the mail. */
  readonly subject: string
  readonly text: string
}

export const SEVERAL = new URL('./mails/several.liquid', import.meta.url)

/** Characters of one mail: more would be too much for the queue, and go into another one. */
const LENGTH = 200_000

/** The mails of letters, in the order of the first of each; `idOf` makes the id of a digest. */
export function gathered(letters: readonly Letter[], idOf: (ids: readonly string[]) => string): readonly NamedMail[] {
  const groups = new Map<string, Letter[]>()
  for (const letter of letters) {
    const { id, mail, request } = letter
    const key = request === null ? id : JSON.stringify([mail.to, request, mail.by])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [letter])
    else group.push(letter)
  }
  return [...groups.values()].flatMap((group) =>
    new Set(group.map(({ record }) => record)).size > 1
      ? parts(group).map((part) => several(part, idOf(part.map(({ id }) => id))))
      : group.map(({ mail }) => mail),
  )
}

/** As few mails as possible. */
function parts(letters: readonly Letter[]): readonly (readonly Letter[])[] {
  const made: Letter[][] = []
  let length = LENGTH
  for (const letter of letters) {
    length += letter.subject.length + letter.text.length
    if (length > LENGTH) {
      made.push([])
      length = letter.subject.length + letter.text.length
    }
    made.at(-1)!.push(letter)
  }
  return made
}

function several(letters: readonly Letter[], id: string): NamedMail {
  const { mail, subject } = letters[0]!
  const { by = null, stranger = false, to } = mail
  const list = letters.map((one) => `${one.subject}\n\n${one.text}`).join('\n\n')
  const count = new Set(letters.map(({ record }) => record)).size
  const runs = letters.flatMap((one) => one.mail.runs ?? [])
  return { id, template: SEVERAL, to, by, stranger, runs, data: { ...mail.data, count, first: subject, list } }
}
