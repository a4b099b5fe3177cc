/** `plinth add resource` and `plinth add field`: their changes in the files. */
import type { Boot } from '../../boot/boot.ts'
import { resourceLabel } from '../../catalog/name.ts'
import { flow } from '../../definition/sentence.ts'
import type { Json } from '../../json.ts'
import type { Member } from './field-word.ts'
import { type Files, Refused } from './files.ts'
import { addMember, keyOf, type Offers, readMember, resourceOf } from './member.ts'

export type Options = Readonly<Record<string, string | boolean | undefined>>

/** Notes for the person who adds. */
export type Notes = readonly string[]

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/

/** A new file of a resource, with filters for its usual fields. */
export function addResource(
  files: Files,
  boot: Boot,
  [name = '', ...words]: readonly string[],
  options: Options,
): Notes {
  if (!NAME.test(name) || name.length > 50)
    throw new Refused(`"${name}" is no name of a resource: a letter, then letters, digits and "_", plural: invoices.`)
  if (boot.catalog.resources.has(name))
    throw new Refused(
      `There is a resource "${name}" already. A field is added to it by: plinth add field ${name} <field>:<type>`,
    )
  const members = words.map((word) => readMember(boot, word, name))
  const twice = members.find((member, index) => members.slice(0, index).some((other) => other.name === member.name))
  if (twice !== undefined) throw new Refused(`"${twice.name}" is named twice.`)
  const label = typeof options.label === 'string' ? options.label : resourceLabel(name)
  files.begin(`${name}.yaml`, textOf(name, label, members, boot.catalog.accounts !== undefined))
  if (boot.catalog.accounts === undefined)
    return ['Nobody may do anything with it yet: the application has no accounts, so write its policies yourself.']
  return [
    `Everybody who is signed in may read; the permission ${name}.manage is needed to write, and an admin has every permission. Give it to others in roles.yaml, or change "policies".`,
  ]
}

function textOf(name: string, label: string, members: readonly Member[], hasAccounts: boolean): string {
  const told = members.filter(({ value }) => value.belongs_to !== undefined || value.type === 'enum')
  const manage = [{ permission: `${name}.manage` }]
  const policies = hasAccounts
    ? { view: [{ who: 'signed_in' }], create: manage, update: manage, delete: manage }
    : { view: [], create: [], update: [], delete: [] }
  const sections = [
    `resource: ${name}\nlabel: ${flow(label)}\n`,
    section(
      'fields',
      members.filter((one) => one.section === 'fields').map(({ name, value }) => [name, value]),
    ),
    section(
      'relations',
      members.filter((one) => one.section === 'relations').map(({ name, value }) => [name, value]),
    ),
    told.length === 0 ? '' : `filters: ${flow(told.map(keyOf))}\n`,
    section('policies', Object.entries(policies)),
  ]
  return sections.filter((text) => text !== '').join('\n')
}

/** Entries in lines, their values in one column. */
function section(key: string, entries: readonly (readonly [name: string, value: Json])[]): string {
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  const lines = entries.map(([name, value]) => `  ${`${name}:`.padEnd(width + 1)} ${flow(value)}\n`)
  return lines.length === 0 ? '' : `${key}:\n${lines.join('')}`
}

/** Adds fields to the file of a resource; the options apply to each. */
export function addFields(files: Files, boot: Boot, [name = '', ...words]: readonly string[], options: Options): Notes {
  const resource = resourceOf(boot, name)
  if (words.length === 0) throw new Refused(`Name a field: plinth add field ${name} due_on:date`)
  const members = words.map((word) => withOptions(readMember(boot, word), options))
  return members.flatMap((member, index) => {
    if (members.slice(0, index).some((other) => other.name === member.name))
      throw new Refused(`"${member.name}" is named twice.`)
    return addMember(files, boot, resource, member, options as Offers)
  })
}

/** The member with its options. */
export function withOptions(member: Member, { default: fallback, label, required, unique }: Options): Member {
  const more = {
    ...(required === true ? { required } : {}),
    ...(unique === true ? { unique } : {}),
    ...(typeof fallback === 'string' ? { default: defaultOf(String(member.value.type), fallback) } : {}),
    ...(typeof label === 'string' ? { label } : {}),
  }
  return { ...member, value: { ...member.value, ...more } }
}

/** The default in the YAML of the type. */
function defaultOf(type: string, text: string): Json {
  if (!['integer', 'boolean', 'list', 'json'].includes(type)) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
