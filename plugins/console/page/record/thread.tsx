/** What was written below a record, of several lists by time, and the form that writes more. */
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { ask, newKey } from '../client/api.ts'
import {
  type Catalog,
  type Embedded,
  type Field,
  idOf,
  isRecord,
  type Json,
  type Named,
  type RecordData,
  type Relation,
  valueAt,
} from '../client/catalog.ts'
import { useKeptDraft } from '../client/kept.ts'
import type { PartBlock } from '../client/screens.ts'
import { Editor } from '../form/editor.tsx'
import { Value } from '../format.tsx'
import { WorkFailure } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { Files, filePlace, useFiles } from './files.tsx'
import { useTexts } from './texts.tsx'

/** What a part of a record's screen is given. */
export interface PartProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly record: RecordData
  readonly path: string
  /** The ends of paths below which the reader may create records. */
  readonly writes: (end: string) => boolean
  readonly again: () => void
}

interface ThreadProps extends PartProps {
  readonly block: PartBlock
}

interface Entry {
  readonly key: string
  readonly relation: Relation
  readonly row: RecordData
  readonly at: string
}

export function Thread({ again, block, catalog, named, path, record, writes }: ThreadProps): ReactNode {
  const { relations } = named.resource
  const entries = (block.thread ?? []).flatMap((name): Entry[] => {
    const [relation, rows] = [relations[name], record[name]]
    if (relation === undefined || !Array.isArray(rows)) return []
    return (rows as readonly Json[])
      .filter(isRecord)
      .map((row) => ({ key: `${name} ${idOf(row)}`, relation, row, at: String(row.created_at ?? '') }))
  })
  entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const open = Object.entries(block.write ?? {}).filter(([end]) => writes(end))
  const label = block.label ?? (block.thread ?? []).map((name) => relations[name]?.label ?? name).join(', ')
  return (
    <section aria-label={label} className="card thread">
      <h2>{label}</h2>
      {entries.length === 0 ? <p className="soft">{words().noEntriesYet}</p> : null}
      <ol>
        {entries.map(({ key, relation, row }) => (
          <ThreadEntry key={key} relation={relation} row={row} />
        ))}
      </ol>
      {open.map(([end, fields]) => (
        <Composer
          {...{ again, catalog, end, fields, named, path, record }}
          isAlone={open.length === 1}
          key={end}
          texts={block.texts}
        />
      ))}
    </section>
  )
}

/** One entry: who, when, what is said of it, and its text. */
function ThreadEntry({ relation, row }: { readonly relation: Relation; readonly row: RecordData }): ReactNode {
  const embed = relation.embed ?? []
  const marks = embed.filter(({ name, type }) => type === 'boolean' && row[name] === true)
  const author = embed.find((one) => one.embed?.some(({ name }) => name === 'name') === true)
  return (
    <li className={marks.length === 0 ? 'entry-card' : 'entry-card marked'}>
      <div className="row">
        <strong>{nameIn(row, author)}</strong>
        <span className="soft">
          <Value field={{ type: 'timestamp' }} isShort value={row.created_at ?? null} />
        </span>
        {marks.map(({ label, name }) => (
          <span className="word" key={name}>
            {label}
          </span>
        ))}
      </div>
      <p className="long">{textIn(embed, row)}</p>
    </li>
  )
}

/** What an embedded record says: its first text. */
export function textIn(embed: readonly Embedded[], row: RecordData): string {
  const text =
    embed.find(({ type }) => type === 'text') ?? embed.find(({ name, type }) => name !== 'id' && type === 'string')
  return text === undefined ? '' : String(row[text.name] ?? '')
}

function nameIn(row: RecordData, author: Embedded | undefined): string {
  const name = author === undefined ? null : valueAt(row, `${author.name}.name`)
  return name === null ? '' : String(name)
}

interface ComposerProps extends Pick<ThreadProps, 'again' | 'catalog' | 'named' | 'path' | 'record'> {
  readonly end: string
  readonly fields: readonly string[]
  readonly isAlone: boolean
  /** The resource whose texts are put in. */
  readonly texts: string | undefined
}

/** What is typed below the record, and how it is sent. */
function useComposer({ again, catalog, end, named, path, record }: ComposerProps) {
  const [draft, setDraft] = useKeptDraft(`${path}/${end}`)
  const [key, setKey] = useState(newKey)
  const work = useWork()
  const place = filePlace(catalog, named)
  const files = useFiles(place)
  const hasText = Object.values(draft).some((value) => typeof value === 'string' && value.trim() !== '')
  const send = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    if (work.isBusy || (!hasText && files.count === 0)) return
    work.run(async (signal, onWait) => {
      await files.send(idOf(record), signal)
      if (hasText) await ask(`${path}/${end}`, { method: 'POST', body: draft, key, signal, onWait })
      setDraft({})
      setKey(newKey())
      again()
    })
  }
  return { draft, files, place, send, setDraft, work }
}

function Composer(props: ComposerProps): ReactNode {
  const { catalog, end, isAlone, named } = props
  const child = catalog.resources[named.resource.below[end]?.to ?? '']
  const { draft, files, place, send, setDraft, work } = useComposer(props)
  const fields = fieldsOf(child?.fields, props.fields)
  const textOf = (name: string): string => String(draft[name] ?? '')
  const texts = useTexts(catalog.resources[props.texts ?? ''], textOf, (name, text) =>
    setDraft({ ...draft, [name]: text }),
  )
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event)
    else texts.pressed(event)
  }
  return (
    <>
      <form
        aria-label={words().sendAs(child?.label.one ?? end)}
        className="form composer"
        onKeyDown={pressed}
        onSubmit={send}
        {...files.on}
      >
        {isAlone ? null : <h3>{child?.label.one}</h3>}
        {fields.map(([name, field]) => (
          <Editor
            description={field.help ?? field.description}
            error={undefined}
            field={field.type === 'boolean' ? { ...field, nullable: false } : field}
            isRequired={field.create === 'required'}
            key={name}
            label={field.label}
            name={name}
            onBroken={() => undefined}
            onChange={(value) => setDraft({ ...draft, [name]: value })}
            value={draft[name] ?? null}
          />
        ))}
        <WorkFailure work={work} />
        <div className="row">
          <button className="button primary" disabled={work.isBusy} type="submit">
            {words().send}
          </button>
          <Files files={files} place={place} />
          {texts.button(fields.find(([, { type }]) => type === 'text')?.[0])}
        </div>
      </form>
      {texts.box}
    </>
  )
}

/** The fields of a record to come that are asked. */
export function fieldsOf(
  fields: Readonly<Record<string, Field>> | undefined,
  names: readonly string[],
): readonly (readonly [string, Field])[] {
  return names.flatMap((name) => {
    const field = fields?.[name]
    return field === undefined ? [] : [[name, field] as const]
  })
}
