/** The columns of a list: its shown fields and relations, the first six of them unless the address says others. */
import type { Catalog, Field, Json, RecordData, Relation, Resource } from '../client/catalog.ts'
import { valueAt } from '../client/catalog.ts'

export interface Column {
  readonly key: string
  readonly label: string
  readonly field?: Pick<Field, 'type'> & Partial<Pick<Field, 'schema' | 'widget'>>
  readonly relation?: Relation
  /** The sort key that orders by it. */
  readonly sort?: string
  /** How much wider than usual it is: 2 or 3. */
  readonly width?: number
  /** Rows have it only if it is asked for. */
  readonly isAsked?: true
  read(record: RecordData): Json
}

const USUALLY = 6
/** Types that say little in a row. */
const LONG = new Set(['text', 'json', 'secret'])

/** Every column that rows of the list can have; `also` names further paths. */
export function columnsOf(
  catalog: Catalog,
  resource: Resource,
  hidden: string | undefined,
  also: readonly string[] = [],
): readonly Column[] {
  const keys = resource.list?.sort.keys ?? []
  const sortBy = (name: string): { readonly sort?: string } => (keys.includes(name) ? { sort: name } : {})
  const related = new Set<string>()
  const columns: Column[] = []
  for (const [name, field] of Object.entries(resource.fields)) {
    const relation = field.relation === undefined ? undefined : resource.relations[field.relation]
    if (field.relation !== undefined && field.relation === hidden) continue
    if (relation?.embed !== undefined && relation.show !== 'never') {
      related.add(field.relation ?? '')
      columns.push(relationColumn(field.relation ?? '', relation, { ...sortBy(name), ...askedIf(relation.show) }))
    } else if (field.show !== undefined) {
      const read = (record: RecordData): Json => valueAt(record, name)
      columns.push({ key: name, label: field.label, field, ...sortBy(name), ...askedIf(field.show), read })
    }
  }
  for (const [name, relation] of Object.entries(resource.relations)) {
    if (related.has(name) || name === hidden || relation.show !== 'always' || relation.embed === undefined) continue
    columns.push(relationColumn(name, relation, {}))
  }
  const known = new Set(columns.map(({ key }) => key))
  const paths = [...new Set([...resource.title, ...also])]
  return [...pathColumns(catalog, resource, paths, known), ...columns]
}

function askedIf(show: string): { readonly isAsked?: true } {
  return show === 'always' || show === 'list' ? {} : { isAsked: true }
}

function relationColumn(name: string, relation: Relation, more: Pick<Column, 'sort' | 'isAsked'>): Column {
  return { key: name, label: relation.label, relation, ...more, read: (record) => record[name] ?? null }
}

/** Values that lie in other records, `owner.name`. */
function pathColumns(
  catalog: Catalog,
  resource: Resource,
  paths: readonly string[],
  known: ReadonlySet<string>,
): readonly Column[] {
  return paths
    .filter((path) => !known.has(path) && path.includes('.'))
    .map((path): Column => {
      const relation = resource.relations[path.split('.')[0] ?? '']
      const target = relation?.to === undefined ? undefined : catalog.resources[relation.to]
      const field = target?.fields[path.split('.').at(-1) ?? '']
      const isNamed = target === undefined || path.split('.').at(-1) === 'name' || field === undefined
      const label = isNamed ? (relation?.label ?? path) : `${relation?.label ?? ''}: ${field.label}`
      const more = relation === undefined ? {} : askedIf(relation.show)
      return {
        key: path,
        label,
        field: { type: field?.type ?? 'string' },
        ...more,
        read: (record) => valueAt(record, path),
      }
    })
}

/** Whether a column says enough in a row to be there without being asked for. */
function isTelling({ field, isAsked, key, relation }: Column): boolean {
  if (isAsked) return false
  if (relation !== undefined) return relation.kind === 'belongs_to'
  return !['id', 'created_at', 'updated_at'].includes(key) && !LONG.has(field?.type ?? '')
}

/** The columns of a list without a choice: what names a record, its state and the records around it, then the rest. */
export function usualColumns(resource: Resource, all: readonly Column[]): readonly string[] {
  const title = resource.title.filter((path) => all.some(({ isAsked, key }) => key === path && !isAsked))
  const inTitle = new Set(title.flatMap((path) => [path, path.split('.')[0]]))
  const others = all.filter((column) => isTelling(column) && !inTitle.has(column.key))
  // A single name is often a code; the first text next to it says what the record is.
  const text = title.length > 1 ? undefined : others.find(({ field }) => field?.type === 'string')
  const isState = (column: Column): boolean => column.relation !== undefined || column.field?.type === 'enum'
  const rest = others.filter((column) => column !== text)
  const ordered = [
    ...(text === undefined ? [] : [text]),
    ...rest.filter(isState),
    ...rest.filter((one) => !isState(one)),
  ]
  const chosen = [...title, ...ordered.map(({ key }) => key)].slice(0, USUALLY)
  if (chosen.length < USUALLY && all.some(({ key }) => key === 'created_at')) chosen.push('created_at')
  return chosen.length === 0 ? all.slice(0, USUALLY).map(({ key }) => key) : chosen
}

/** The chosen columns in their order, `status` or wider ones as `status@2`; names that are no column any more are left out. */
export function chosenColumns(resource: Resource, all: readonly Column[], chosen: string | null): readonly Column[] {
  const names = chosen === null ? usualColumns(resource, all) : chosen.split(',')
  const found = names.flatMap((text): readonly Column[] => {
    const [name, width] = text.split('@')
    const column = all.find(({ key }) => key === name)
    if (column === undefined) return []
    return [width === '2' || width === '3' ? { ...column, width: Number(width) } : column]
  })
  return found.length > 0 ? found : chosenColumns(resource, all, null)
}

/** A column as the address has it. */
export function columnText({ key, width = 1 }: Column): string {
  return width === 1 ? key : `${key}@${width}`
}

/** Texts need more room than words, dates and numbers, and what opens the record is read first. */
const SHARES: Readonly<Record<string, number>> = {
  string: 1.4,
  text: 1.7,
  email: 1.5,
  url: 1.5,
  timestamp: 1.6,
  sequence: 1.3,
  relation: 1.1,
}
const FIRST = 1.7

/** The widths of columns for the grid of a sheet. */
export function templateOf(columns: readonly Column[]): string {
  return columns
    .map(({ field, relation, width = 1 }, at) => {
      const type = relation === undefined ? field?.type : 'relation'
      const share = width * (SHARES[type ?? ''] ?? 1) * (at === 0 ? FIRST : 1)
      return `minmax(0, ${share.toFixed(2)}fr)`
    })
    .join(' ')
}
