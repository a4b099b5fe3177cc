/** `plinth add relation`: adds a relation to the file of a resource, and its other side to that of the other. */
import type { Boot } from '../../boot/boot.ts'
import type { Resource } from '../../catalog/catalog.ts'
import { singular } from '../../catalog/name.ts'
import type { JsonObject } from '../../json.ts'
import type { Member } from './field-word.ts'
import { type Files, Refused } from './files.ts'
import { addMember, type Offers, pluginOf, readMember, refuseTaken, resourceOf } from './member.ts'
import { type Notes, type Options, withOptions } from './resource.ts'

/** A relation to one record, or with `--many` to several, and its other side, which answers show only on request. */
export function addRelation(
  files: Files,
  boot: Boot,
  [name = '', relation = '']: readonly string[],
  options: Options,
): Notes {
  const resource = resourceOf(boot, name)
  const kind = options.many === true ? 'many_to_many' : 'belongs_to'
  const target = typeof options.to === 'string' ? `:${options.to}` : ''
  const read = withOptions(readMember(boot, `${relation}:${kind}${target}`), options)
  const other = resourceOf(boot, String(read.value[kind]))
  const through = kind === 'many_to_many' ? throughOf(boot, resource, other, read.name) : undefined
  const member = through?.own === undefined ? read : withThrough(read, through.own)
  const notes = addMember(files, boot, resource, member, options as Offers)
  if (options['one-way'] === true) return notes
  const back = typeof options.back === 'string' ? options.back : resource.name
  refuseBack(resource, other, member.name, back)
  const value: JsonObject =
    through === undefined
      ? { has_many: resource.name, by: member.name }
      : { many_to_many: resource.name, ...(through.back === undefined ? {} : { through: through.back }) }
  const file = files.fileOf(other.name, pluginOf(boot, other.name))
  files.addEntry(file, ['relations'], back, { ...value, show: 'asked' })
  return [...notes, `Answers of ${other.name} have "${back}" where they are asked for it: ?include=${back}`]
}

function withThrough(member: Member, through: string): Member {
  return { ...member, value: { ...member.value, through } }
}

function refuseBack(resource: Resource, other: Resource, relation: string, back: string): void {
  const hint = 'Name the other side by --back, or leave it out by --one-way.'
  if (resource === other && back === relation) throw new Refused(`"${back}" is the relation itself. ${hint}`)
  try {
    refuseTaken(other, back)
  } catch (error) {
    throw error instanceof Refused ? new Refused(`${error.message}. ${hint}`) : error
  }
}

interface Through {
  readonly own?: string
  readonly back?: string | JsonObject
}

/** The joining table in both files: without `through` where its usual name is free. */
function throughOf({ catalog }: Pick<Boot, 'catalog'>, from: Resource, to: Resource, relation: string): Through {
  const resources = [...catalog.resources.values()]
  const used = new Set([
    ...resources.map(({ table }) => table),
    ...resources.flatMap(({ relations }) =>
      [...relations.values()].flatMap((one) => (one.kind === 'many_to_many' ? [one.through.table] : [])),
    ),
  ])
  const usual = [from.table, to.table].sort().join('_')
  const isUsual = !used.has(usual)
  const table = isUsual ? usual : `${from.table}_${relation}`
  if (used.has(table))
    throw new Refused(`The table "${table}", which would keep the pairs, is in use: give the relation another name.`)
  const own = isUsual ? {} : { own: table }
  if (from !== to) return isUsual ? {} : { ...own, back: table }
  // In a relation of a resource with itself, the other side sees the pairs from their other end.
  const id = `${singular(from.table)}_id`
  return { ...own, back: { table, from: `other_${id}`, to: id } }
}
