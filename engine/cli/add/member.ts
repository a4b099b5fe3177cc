/** Adds a field or a relation to the file of a resource, and to the filters and sorts of its lists. */
import type { Boot } from '../../boot/boot.ts'
import { nameOf } from '../../boot/extend-resource.ts'
import type { Resource } from '../../catalog/catalog.ts'
import { singular } from '../../catalog/name.ts'
import { parseDocument } from '../../definition/parse.ts'
import { isObject, type Json } from '../../json.ts'
import { placeOf } from '../../text/source.ts'
import { type Member, memberOf, noResource } from './field-word.ts'
import { type Files, Refused } from './files.ts'

/** What lists offer of it. */
export interface Offers {
  readonly filter?: boolean
  readonly sort?: boolean
  readonly search?: boolean
  readonly index?: boolean
}

/** The resource of a name; throws with the nearest one. */
export function resourceOf({ catalog }: Pick<Boot, 'catalog'>, name: string): Resource {
  const found = catalog.resources.get(name)
  if (found === undefined) throw new Refused(noResource(name, [...catalog.resources.keys()]))
  return found
}

/** Reads `due_on:date`; throws with the mistake. */
export function readMember({ catalog, composition }: Boot, word: string, own?: string): Member {
  const resources = [...catalog.resources.keys(), ...(own === undefined ? [] : [own])]
  const targetOf = (relation: string) => resources.find((name) => name === relation || singular(name) === relation)
  const member = memberOf(word, { types: composition.vocabulary.fieldTypes, resources, targetOf })
  if (typeof member === 'string') throw new Refused(member)
  return member
}

/** Adds the member, and what lists offer of it; returns notes. */
export function addMember(
  files: Files,
  boot: Boot,
  resource: Resource,
  member: Member,
  offers: Offers,
): readonly string[] {
  refuseTaken(resource, member.name)
  const brought = broughtFile(boot, resource.name)
  const file = files.fileOf(resource.name, brought?.plugin)
  files.addEntry(file, [member.section], member.name, member.value)
  const key = keyOf(member)
  if (offers.filter === true) {
    const [parameter, path] = filterBy(member, key)
    offer(files, file, ['filters'], { name: parameter, value: path, item: path })
  }
  if (offers.search === true) {
    const isWeighted = isObject(files.valueAt(file, ['search']) ?? null)
    offer(files, file, isWeighted ? ['search', 'fields'] : ['search'], { name: key, value: 1, item: key })
  }
  const notes: string[] = []
  if (offers.sort === true) {
    const isListed = [files.valueAt(file, ['sort', 'keys']), brought?.sortKeys].some((keys) => keys !== undefined)
    if (isListed) offer(files, file, ['sort', 'keys'], { name: key, value: key, item: key })
    else notes.push(`Lists of ${resource.name} can be sorted by every short field, as "sort" names no keys.`)
  }
  if (offers.index === true) {
    if (offers.filter === true || offers.sort === true)
      notes.push('A filter or sort key has its index: --index adds none.')
    else files.addItem(file, ['indexes'], [key])
  }
  return notes
}

/** Its name in a list: the field, or the foreign key of a relation. */
export function keyOf({ name, section, value }: Member): string {
  if (section === 'fields' || value.belongs_to === undefined) return name
  return typeof value.column === 'string' ? value.column : `${name}_id`
}

/** Throws where a resource has a member of this name. */
export function refuseTaken(resource: Resource, name: string): void {
  const taken = resource.fields.get(name) ?? resource.relations.get(name)
  if (taken === undefined) return
  const kind = resource.fields.has(name) ? 'field' : 'relation'
  throw new Refused(`${resource.name} has a ${kind} "${name}" already: ${placeOf(taken.span)}`)
}

/** The parameter with its path; for a relation to many, that of the records' ids. */
function filterBy({ name, section, value }: Member, key: string): readonly [parameter: string, path: string] {
  const isMany = section === 'relations' && value.belongs_to === undefined
  return isMany ? [`${singular(name)}_id`, `${name}.id`] : [key, key]
}

interface Offered {
  readonly name: string
  readonly value: Json
  /** The same where the file has a list. */
  readonly item: string
}

function offer(files: Files, file: string, path: readonly string[], { name, value, item }: Offered): void {
  if (isObject(files.valueAt(file, path) ?? null)) files.addEntry(file, path, name, value)
  else files.addItem(file, path, item)
}

/** The plugin that brings a resource. */
export function pluginOf(boot: Boot, resource: string): string | undefined {
  return broughtFile(boot, resource)?.plugin
}

/** The definition in a plugin's own file of a resource. */
function broughtFile({ composition, sources }: Boot, resource: string) {
  for (const [index, { plugin }] of composition.resources.entries()) {
    // app.yaml is first; plugins' files follow in their order.
    const source = sources[index + 1]
    const document = source && parseDocument(source).value
    if (document === undefined || nameOf(document) !== resource) continue
    const { sort } = document.value as { sort?: { keys?: Json } }
    return { plugin, sortKeys: sort?.keys }
  }
  return undefined
}
