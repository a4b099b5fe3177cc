/** How many records of a list are in each group of a field; a group is a filter. */
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { rowsIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import { type Catalog, idOf, isRecord, type Json, nameOf, type RecordData, type Resource } from '../client/catalog.ts'
import { countText, valueText } from '../format.tsx'
import { words } from '../words/words.ts'
import type { Change } from './query.ts'

interface GroupsProps {
  readonly catalog: Catalog
  readonly resource: Resource
  readonly by: string
  /** The part of the query that says which records. */
  readonly choice: string
  readonly onChange: Change
}

const MOST = 24

/** The fields by which the records may be counted: words, switches and records, and not moments. */
export function groupKeys({ fields, list }: Resource): readonly string[] {
  const types = new Set(['enum', 'boolean'])
  const keys = list?.summary?.by ?? []
  return keys.filter((key) => types.has(fields[key]?.type ?? '') || fields[key]?.relation !== undefined)
}

export function Groups({ by, catalog, choice, onChange, resource }: GroupsProps): ReactNode {
  const query = `by=${encodeURIComponent(by)}&sort=-count&limit=${MOST}`
  const { answer } = useAnswer(`${resource.figures}?${query}${choice === '' ? '' : `&${choice}`}`)
  const field = resource.fields[by]
  if (answer === undefined || field === undefined) return null
  const relation = resource.relations[field.relation ?? '']
  const nameIn = (group: RecordData): string => {
    const part = group[field.relation ?? '']
    if (relation !== undefined && isRecord(part)) return nameOf(catalog, relation, part)
    return valueText(field.type, group[by] ?? null, field.values)
  }
  const narrow = (value: Json): void => onChange(value === null ? { [`${by}[null]`]: 'true' } : { [by]: String(value) })
  return (
    <ul aria-label={words().groupedBy(field.label)} className="tokens">
      {rowsIn(answer).map((group) => (
        <li key={String(group[by] ?? idOf(group))}>
          <Button className="button" onPress={() => narrow(group[by] ?? null)}>
            {nameIn(group)} <span className="soft">{countText(Number(group.count ?? 0))}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}
