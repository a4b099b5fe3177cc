/** What a directory says of somebody, as claims: the language of conditions is the one of providers. */
import type { Catalog, JsonObject } from '../../engine/index.ts'
import { type Claims, readClaims } from '../auth/provider/claims.ts'
import type { Directory } from './options.ts'
import type { Person } from './server.ts'

/**
 * The claims of an entry: its attributes by their names, the standard claims, and `groups`. An address counts as verified:
 * those who keep the directory wrote it.
 */
export function claimsOfPerson(catalog: Catalog, { attributes, provider }: Directory, person: Person): Claims {
  const own = Object.fromEntries(Object.entries(person.attributes).map(([name, value]) => [name, plain(value)]))
  const of = (attribute: string) => {
    const value = own[attribute]
    return (Array.isArray(value) ? value[0] : value) ?? null
  }
  const standard: JsonObject = {
    sub: person.id,
    email: of(attributes.email),
    email_verified: of(attributes.email) !== null,
    name: of(attributes.name),
    given_name: of(attributes.given_name),
    family_name: of(attributes.family_name),
    groups: person.groups,
  }
  return readClaims(catalog, provider, { ...own, ...standard })
}

/** Texts as they are; bytes say nothing to a condition. An attribute has one value or several. */
function plain(value: Buffer | Buffer[] | string | string[]) {
  const texts = [value].flat().filter((one): one is string => typeof one === 'string')
  return texts.length === 1 ? texts[0]! : texts
}
