/** A field in the words of a terminal, `status:enum:draft,sent!`, and in YAML. Pure. */
import type { FieldType } from '../../field/field-type.ts'
import { OTHER_NAMES } from '../../field/type-synonyms.ts'
import type { Json, JsonObject } from '../../json.ts'
import { nearest } from '../../text/nearest.ts'

/** A field or a relation with its definition. */
export interface Member {
  readonly name: string
  readonly section: 'fields' | 'relations'
  readonly value: JsonObject
}

export interface Words {
  readonly types: ReadonlyMap<string, FieldType>
  readonly resources: Iterable<string>
  /** The resource of a relation that names none. */
  readonly targetOf: (relation: string) => string | undefined
}

export const RELATIONS = ['belongs_to', 'has_many', 'many_to_many'] as const

/** The options for words without a name, in their order; the last one, in brackets, takes all the rest. */
const UNNAMED: Readonly<Record<string, readonly string[]>> = {
  count: ['of'],
  decimal: ['precision', 'scale'],
  enum: ['[values]'],
  list: ['of'],
  sequence: ['start'],
  slug: ['from'],
  string: ['max'],
  text: ['max'],
}

/** The meaning of a word, or a sentence about its mistake. */
export function memberOf(word: string, words: Words): Member | string {
  const [whole, required] = word.endsWith('!') ? [word.slice(0, -1), { required: true }] : [word, {}]
  const [name = '', type = 'string', ...rest] = whole.split(':')
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || type === '')
    return `"${word}" is no field: write <name>:<type>, such as due_on:date, or title:string! for one that is required.`
  const said = OTHER_NAMES.get(type) ?? type
  const parts = rest.join(':') === '' ? [] : rest.join(':').split(',')
  const relation = RELATIONS.find((one) => one === said)
  if (relation !== undefined) return relationOf(name, relation, parts, words, required)
  if (words.types.get(said) === undefined || words.types.get(said)?.internal === true) return unknownType(said, words)
  const options = optionsOf(parts, UNNAMED[said] ?? [])
  if (typeof options === 'string') return `"${word}": the type ${said} ${options}`
  return { name, section: 'fields', value: { type: said, ...required, ...options } }
}

function unknownType(type: string, { types }: Words): string {
  const known = [...types.values()].flatMap(({ internal, name }) => (internal === true ? [] : [name]))
  const meant = nearest(type, [...known, ...RELATIONS])
  return `There is no type "${type}".${meant === undefined ? '' : ` Did you mean ${meant}?`} There are ${known.join(', ')}; and for relations ${RELATIONS.join(', ')}.`
}

function relationOf(
  name: string,
  kind: (typeof RELATIONS)[number],
  parts: readonly string[],
  { resources, targetOf }: Words,
  required: JsonObject,
): Member | string {
  const isNamed = parts[0] !== undefined && !parts[0].includes('=')
  const target = isNamed ? parts[0] : targetOf(name)
  const options = isNamed ? parts.slice(1) : parts
  if (target === undefined) return `"${name}" names no resource that it belongs to: write ${name}:${kind}:<resource>.`
  const known = [...resources]
  if (!known.includes(target)) return noResource(target, known)
  const more = optionsOf(options, [])
  if (typeof more === 'string') return `"${name}": a relation ${more}`
  return { name, section: 'relations', value: { [kind]: target, ...required, ...more } }
}

/** The message about an unknown resource. */
export function noResource(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return `There is no resource "${name}".${meant === undefined ? ` There are ${known.join(', ')}.` : ` Did you mean ${meant}?`}`
}

/** `min=1,max=5` by their names, other words by their place. */
function optionsOf(parts: readonly string[], unnamed: readonly string[]): JsonObject | string {
  const options: Record<string, Json> = {}
  const places = [...unnamed]
  for (const part of parts) {
    const [, key, text] = /^([a-z_]+)=(.*)$/s.exec(part) ?? []
    if (key !== undefined) {
      options[key] = optionValue(text ?? '')
      continue
    }
    const place = places[0]
    if (place === undefined) return `does not know what to do with "${part}": write <option>=<value>, such as max=5.`
    if (!place.startsWith('[')) options[places.shift()!] = optionValue(part)
    else {
      const list = place.slice(1, -1)
      options[list] = [...((options[list] ?? []) as readonly Json[]), part]
    }
  }
  return options
}

/** A number or a switch where it looks like one, else the text. */
export function optionValue(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(text) ? Number(text) : text
}
