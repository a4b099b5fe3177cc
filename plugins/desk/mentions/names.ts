/** What of a text names people: `@[Alba Reed](7)` by the id, `@alba`, `@alba.reed` by what people are called. */
import { nameText } from '../../../engine/index.ts'

/** People whom one text may name; more are not looked for. */
const MOST = 50

const BY_ID = /@\[[^\]\n]{1,200}\]\(([1-9]\d{0,8})\)/g
/** An address, `ann@example.com`, mentions nobody. */
const BY_NAME = /(?<![\p{L}\p{N}@._+-])@([\p{L}\p{N}][\p{L}\p{N}._-]{0,99})/gu

export interface Named {
  readonly ids: readonly number[]
  /** In lower case, without what ends a sentence. */
  readonly names: readonly string[]
}

/** The ids and names in a text, each once. */
export function namedIn(text: string): Named {
  const ids = [...text.matchAll(BY_ID)].map(([, id]) => Number(id))
  // A letter and its accent may be two signs, which are no word together, and signs that nobody sees would end one.
  const rest = nameText(text.replace(BY_ID, ' '))
  const names = [...rest.matchAll(BY_NAME)].map(([, name = '']) => name.replace(/[._-]+$/, ''))
  return { ids: [...new Set(ids)].slice(0, MOST), names: [...new Set(names)].slice(0, MOST) }
}

/** Somebody whom a name may mean. */
export interface Candidate {
  readonly id: number
  readonly email: string
  readonly first_name: string
  readonly last_name: string
}

/**
 * Whom a name means: the one whose address begins with it or who is called so in full, else the one with this first name.
 * Nobody when there are two of them.
 */
export function meantBy(name: string, people: readonly Candidate[]): number | undefined {
  const exact = people.filter((one) => fullNames(one).includes(name))
  const found = exact.length > 0 ? exact : people.filter((one) => firstName(one) === name)
  return found.length === 1 ? found[0]?.id : undefined
}

function fullNames(one: Candidate): readonly string[] {
  const [first, last] = [firstName(one), joined(one.last_name)]
  return [one.email.slice(0, one.email.lastIndexOf('@')), ...['.', '_', '-', ''].map((sign) => first + sign + last)]
}

function firstName({ first_name: name }: Candidate): string {
  return joined(name)
}

function joined(name: string): string {
  return nameText(name).replaceAll(' ', '')
}
