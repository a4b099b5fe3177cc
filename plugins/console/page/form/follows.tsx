/** What would follow from a form once it is saved: the fields that nobody is asked for and that would have another value. */
import type { ReactNode } from 'react'
import type { Catalog, Json, RecordData, Resource } from '../client/catalog.ts'
import { Shown } from '../format.tsx'
import { words } from '../words/words.ts'
import { type Input, isSame } from './draft.ts'

interface FollowsProps {
  readonly catalog: Catalog
  readonly resource: Resource
  readonly inputs: readonly Input[]
  /** The stored record; empty for a new one. */
  readonly before: RecordData
  /** The record as it would be. */
  readonly after: RecordData | undefined
}

/** Say nothing about the work: numbers that are given, and when it was done. */
const BY_THE_WAY = new Set(['id', 'created_at', 'updated_at'])
const MOST = 6

/** The names of what would follow, in the order of the catalog. */
export function followingNames({ after, before, inputs, resource }: Omit<FollowsProps, 'catalog'>): readonly string[] {
  if (after === undefined) return []
  const asked = new Set(inputs.flatMap(({ name, relationName = name }) => [name, relationName]))
  const names = Object.entries(resource.fields).map(([name, { relation = name, type }]) =>
    type === 'sequence' || asked.has(name) || after[relation] === undefined ? name : relation,
  )
  return [...new Set(names)].filter((name) => {
    const isGiven = resource.fields[name]?.type === 'sequence'
    const usual = before[name] ?? resource.fields[name]?.default ?? null
    const value: Json = after[name] ?? null
    return (
      !asked.has(name) && !isGiven && !BY_THE_WAY.has(name) && value !== null && value !== 0 && !isSame(value, usual)
    )
  })
}

export function Follows(props: FollowsProps): ReactNode {
  const { after, catalog, resource } = props
  const names = followingNames(props).slice(0, MOST)
  return (
    <div aria-live="polite" className="follows">
      {after === undefined || names.length === 0 ? null : (
        <>
          <p className="soft">{words().follows}</p>
          <dl>
            {names.map((name) => {
              const field = resource.fields[name]
              const relation = resource.relations[name]
              return (
                <div key={name}>
                  <dt>{field?.label ?? relation?.label ?? name}</dt>
                  <dd>
                    <Shown {...{ catalog, field, relation }} isShort value={after[name] ?? null} />
                  </dd>
                </div>
              )
            })}
          </dl>
        </>
      )}
    </div>
  )
}
