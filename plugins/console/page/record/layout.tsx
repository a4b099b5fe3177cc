/** The screen of a record as its layout says: blocks in a wide and a narrow column, and below both. */
import { Fragment, type ReactNode } from 'react'
import { rowsIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import { type Field, type Named, type RecordData, type Relation, valueAt } from '../client/catalog.ts'
import { holds, valuesOf } from '../client/holds.ts'
import { useMe } from '../client/me.ts'
import type { Block, PartBlock } from '../client/screens.ts'
import { Related, Shown, Value } from '../format.tsx'
import { Added } from '../kit/added.tsx'
import { Failed, Loading } from '../shell/parts.tsx'
import { words } from '../words/words.ts'
import { type PartProps, Thread } from './thread.tsx'

interface LaidProps extends PartProps {
  /** A list below the record, by the end of its path. */
  readonly below: (end: string) => ReactNode
}

export function Laid(props: LaidProps): ReactNode {
  const { main = [], side = [], below = [] } = props.named.resource.layout?.record ?? {}
  return (
    <>
      <div className={side.length === 0 ? 'laid' : 'laid two'}>
        <div className="laid-column">
          <Blocks blocks={main} {...props} />
        </div>
        {side.length === 0 ? null : (
          <div className="laid-column">
            <Blocks blocks={side} {...props} />
          </div>
        )}
      </div>
      <Blocks blocks={below} {...props} />
    </>
  )
}

type BlocksProps = LaidProps & { readonly blocks: readonly Block[] }

/** Names that follow each other share a card. */
function Blocks({ blocks, ...props }: BlocksProps): ReactNode {
  const groups: (Block | readonly string[])[][] = []
  for (const block of blocks) {
    const last = groups.at(-1)
    const isPlain = isPlainBlock(block, props.named)
    if (isPlain && last !== undefined && isPlainBlock(last[0]!, props.named)) last.push(block)
    else groups.push([block])
  }
  return groups.map((group) => <Group group={group} key={JSON.stringify(group)} {...props} />)
}

/** Whether a block is of values of the record itself. */
function isPlainBlock(block: Block, named: Named): boolean {
  if (typeof block !== 'string') return Array.isArray(block)
  return partOf(named, block) !== undefined
}

function Group({ group, ...props }: LaidProps & { readonly group: readonly Block[] }): ReactNode {
  const [first] = group
  if (first === undefined) return null
  if (isPlainBlock(first, props.named))
    return (
      <Values rows={group.map((one) => (typeof one === 'string' ? [one] : (one as readonly string[])))} {...props} />
    )
  if (typeof first === 'string') return <EndBlock end={first} {...props} />
  return <Labelled block={first as PartBlock} {...props} />
}

/** A field or relation by its name. */
interface Part {
  readonly label: string
  readonly field?: Field
  readonly relation?: Relation
  readonly key: string
}

function partOf({ resource }: Named, name: string): Part | undefined {
  const relation = resource.relations[name] ?? resource.relations[resource.fields[name]?.relation ?? '']
  if (relation?.embed !== undefined) {
    const key = resource.relations[name] === undefined ? (resource.fields[name]?.relation ?? name) : name
    return { label: relation.label, relation, key }
  }
  const field = resource.fields[relation?.field ?? name]
  return field === undefined
    ? undefined
    : { label: relation?.label ?? field.label, field, key: relation?.field ?? name }
}

interface ValuesProps extends LaidProps {
  readonly rows: readonly (readonly string[])[]
  readonly label?: string
}

function Values({ catalog, label, named, record, rows }: ValuesProps): ReactNode {
  const me = useMe(catalog, false)
  const shown = rows
    .map((row) =>
      row.flatMap((name): Part[] => {
        const part = partOf(named, name)
        const when = part?.field?.when ?? part?.relation?.when
        const value = part === undefined ? undefined : record[part.key]
        const isNone = value === undefined || (Array.isArray(value) && value.length === 0)
        return part === undefined || isNone || !holds(when, valuesOf(record), me) ? [] : [part]
      }),
    )
    .filter((row) => row.length > 0)
  if (shown.length === 0) return null
  return (
    <section aria-label={label} className="card">
      {label === undefined ? null : <h2>{label}</h2>}
      <div className="rows">
        {shown.map((row) => (
          <dl className="beside" key={row.map(({ key }) => key).join()}>
            {row.map((part) => (
              <div key={part.key}>
                <dt>{part.label}</dt>
                <dd>
                  <Shown {...part} catalog={catalog} key={part.key} value={record[part.key] ?? null} />
                </dd>
              </div>
            ))}
          </dl>
        ))}
      </div>
    </section>
  )
}

/** A list below the record, what a plugin tells, or a block of a plugin. */
function EndBlock({ again, below, end, named, path, record }: LaidProps & { readonly end: string }): ReactNode {
  if (end in named.resource.below) return below(end)
  const route = named.resource.routes?.find(({ method, path: one }) => method === 'GET' && one.endsWith(`/{id}/${end}`))
  if (route !== undefined) return <Told label={route.summary} path={`${path}/${end}`} />
  return <Added given={{ again, named, path, record }} kind="blocks" name={end} />
}

function Labelled({ block, ...props }: LaidProps & { readonly block: PartBlock }): ReactNode {
  const { catalog, named, record } = props
  const me = useMe(catalog, JSON.stringify(block.when ?? '').includes('$actor'))
  const { fields, label, list, thread } = block
  if (!holds(block.when, valuesOf(record), me)) return null
  if (fields !== undefined) {
    const rows = fields.map((name) => [name])
    return <Values {...props} {...(label === undefined ? {} : { label })} rows={rows} />
  }
  if (thread !== undefined) return <Thread {...props} block={block} />
  const relation = named.resource.relations[list ?? '']
  const value = record[list ?? ''] ?? null
  if (relation === undefined || (Array.isArray(value) && value.length === 0)) return null
  return (
    <section className="card">
      <h2>{label ?? relation.label}</h2>
      <Related catalog={catalog} relation={relation} value={value} />
    </section>
  )
}

/** Most entries of what a plugin says about a record. */
const FIRST = 10

/** What a plugin says about the record, newest first: who, when, and a sentence. */
function Told({ label, path }: { readonly label: string; readonly path: string }): ReactNode {
  const { again, answer, failure } = useAnswer(`${path}?per_page=${FIRST}`)
  const rows = answer === undefined ? [] : rowsIn(answer)
  return (
    <section aria-label={label} className="card">
      <h2>{words().history}</h2>
      {failure === undefined ? null : <Failed onAgain={again} text={failure} />}
      {answer === undefined && failure === undefined ? <Loading /> : null}
      <ul className="below">
        {rows.map((row) => (
          <li key={String(row.id)}>
            <span>{sentencesOf(row)}</span>
            <span className="soft">
              {[valueAt(row, 'user.name')].filter((one) => one !== null).map((one) => `${String(one)}, `)}
              <Value field={{ type: 'timestamp' }} isShort value={row.created_at ?? null} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function sentencesOf(row: RecordData): ReactNode {
  const text = row.description ?? row.text ?? row.title ?? row.name ?? row.action
  return <Fragment>{text === undefined || text === null ? '' : String(text)}</Fragment>
}
