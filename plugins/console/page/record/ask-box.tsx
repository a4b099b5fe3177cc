/** The dialog of a button: the questions of the records that it writes, or of the route that it calls. */
import { type FormEvent, type ReactNode, useMemo } from 'react'
import { newKey, Refusal } from '../client/api.ts'
import {
  type Catalog,
  type Field,
  isRecord,
  type Json,
  type Named,
  type OfferedRoute,
  type RecordData,
  type Schema,
} from '../client/catalog.ts'
import { useKeptDraft } from '../client/kept.ts'
import type { ButtonPart } from '../client/screens.ts'
import { Editor } from '../form/editor.tsx'
import { listSource, Picker } from '../form/picker.tsx'
import { Box } from '../shell/dialog.tsx'
import { FormEnd, WorkFailure } from '../shell/parts.tsx'
import { type Doing, useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { fieldsOf, textIn } from './thread.tsx'

/** One question; its answer is a key of the body that is sent to a path below the record, or to the route (`end` is empty). */
export interface Asked {
  readonly end: string
  readonly name: string
  readonly field: Field
  /** What it is chosen from: a resource, or a relation of the record to many. */
  readonly from?: string | undefined
}

export type Drafts = Readonly<Record<string, RecordData>>

/** The questions of a button. */
export function askedBy(
  { choose = {}, create = {} }: ButtonPart,
  route: OfferedRoute | undefined,
  catalog: Catalog,
  named: Named,
): readonly Asked[] {
  const written = Object.entries(create).flatMap(([end, names]) => {
    const child = catalog.resources[named.resource.below[end]?.to ?? '']
    return fieldsOf(child?.fields, names).map(([name, field]): Asked => ({ end, name, field }))
  })
  const { properties = {}, required = [] } = route?.input ?? {}
  const taken = Object.entries(properties).map(([name, schema]): Asked => {
    const isNeeded = required.includes(name)
    return { end: '', name, field: asField(name, schema, isNeeded), from: choose[name] }
  })
  return [...written, ...taken]
}

/** The records of a relation to many, as the answer has them. */
export function rowsOf(record: RecordData, name: string): readonly RecordData[] {
  const rows = record[name]
  return Array.isArray(rows) ? (rows as readonly Json[]).filter(isRecord) : []
}

/** What a route takes, as a field of a form. */
function asField(name: string, schema: Schema & { readonly description?: string }, isNeeded: boolean): Field {
  const label = name.replace(/_id$/, '').replaceAll('_', ' ')
  return {
    label: label.charAt(0).toUpperCase() + label.slice(1),
    ...(schema.description === undefined ? {} : { description: schema.description }),
    type: String(schema.type ?? ''),
    schema,
    nullable: schema.type !== 'boolean',
    ...(isNeeded ? { create: 'required' } : {}),
  }
}

interface AskProps {
  readonly asked: readonly Asked[]
  readonly catalog: Catalog
  readonly label: string
  readonly named: Named
  /** Where what is typed is kept. */
  readonly place: string
  readonly record: RecordData
  readonly onClose: () => void
  readonly onSend: (drafts: Drafts, doing: Doing & { readonly key: string }) => Promise<void>
}

export function AskBox({ asked, label, onClose, onSend, place, ...rest }: AskProps): ReactNode {
  const [kept, setKept] = useKeptDraft(`${place} ${label}`)
  const drafts = kept as Drafts
  // Sent again it is done once, and changed it is another piece of work.
  const key = useMemo(() => (kept === undefined ? '' : newKey()), [kept])
  const work = useWork()
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (work.isBusy) return
    work.run(async (signal, onWait) => {
      await onSend(drafts, { signal, onWait, key })
      setKept({})
      onClose()
    })
  }
  const errors = work.failure instanceof Refusal ? work.failure.errors : {}
  return (
    <Box onClose={onClose} title={label}>
      <form className="form" noValidate onSubmit={send}>
        {asked.map((one) => (
          <Question
            {...rest}
            asked={one}
            error={errors[one.name]?.join('. ')}
            key={`${one.end} ${one.name}`}
            onChange={(value) => setKept({ ...drafts, [one.end]: { ...drafts[one.end], [one.name]: value } })}
            value={drafts[one.end]?.[one.name] ?? null}
          />
        ))}
        <WorkFailure work={work} />
        <FormEnd isBusy={work.isBusy} does={label} onCancel={onClose} />
      </form>
    </Box>
  )
}

interface QuestionProps extends Pick<AskProps, 'catalog' | 'named' | 'record'> {
  readonly asked: Asked
  readonly error: string | undefined
  readonly value: Json
  readonly onChange: (value: Json) => void
}

function Question(props: QuestionProps): ReactNode {
  const { asked, catalog, error, named, onChange, value } = props
  const { field, from = '', name } = asked
  const [isRequired, description] = [field.create === 'required', field.help ?? field.description]
  if (named.resource.relations[from] !== undefined) return <Rows {...props} />
  const target = catalog.resources[from]
  if (target !== undefined)
    return (
      <Picker
        {...{ error, isRequired, value }}
        inputName={name}
        label={field.label}
        onPick={(id, picked) => onChange(picked?.id ?? id)}
        source={listSource(target)}
      />
    )
  const onBroken = (): void => undefined
  return <Editor {...{ description, error, field, isRequired, name, onBroken, onChange, value }} label={field.label} />
}

/** Records of a relation, chosen by what they say. */
function Rows({ asked: { field, from = '', name }, error, named, onChange, record, value }: QuestionProps): ReactNode {
  const chosen = Array.isArray(value) ? (value as readonly Json[]) : []
  const embed = named.resource.relations[from]?.embed ?? []
  return (
    <fieldset className="choices rows-chosen">
      <legend>
        {field.label} {field.create === 'required' ? <span className="soft">({words().required})</span> : null}
      </legend>
      {rowsOf(record, from).map(({ id = null, ...row }, at) => (
        <label key={String(id)}>
          <input
            checked={chosen.includes(id)}
            data-name={at === 0 ? name : undefined}
            onChange={({ target }) => onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
            type="checkbox"
          />
          <span>{textIn(embed, row) || String(id)}</span>
        </label>
      ))}
      {error === undefined ? null : <small className="bad">{error}</small>}
    </fieldset>
  )
}
