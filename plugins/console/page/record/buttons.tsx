/** Buttons of the YAML: values that are set, records that are written first, and routes of plugins, by one press. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { type Answer, ask, canIn, newKey, rowsIn } from '../client/api.ts'
import {
  type Catalog,
  type Field,
  isRecord,
  type Json,
  type Named,
  type RecordData,
  type Schema,
} from '../client/catalog.ts'
import { holds, valuesOf, wanted } from '../client/holds.ts'
import { useKeptDraft } from '../client/kept.ts'
import { useMe } from '../client/me.ts'
import { notify } from '../client/notices.ts'
import type { ButtonPart } from '../client/screens.ts'
import { notifyChange } from '../client/undo.ts'
import { inputsOf, isSame, storedValue } from '../form/draft.ts'
import { Editor } from '../form/editor.tsx'
import { Box } from '../shell/dialog.tsx'
import { Icon } from '../shell/icon.tsx'
import { useKey } from '../shell/keys.tsx'
import { FormEnd, WorkFailure } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { NamedActs } from './named-acts.tsx'
import { fieldsOf } from './thread.tsx'

interface ButtonsProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly record: RecordData
  readonly answer: Answer
  readonly path: string
  readonly again: () => void
}

export function ButtonBar(props: ButtonsProps): ReactNode {
  const { again, answer, catalog, named, path, record } = props
  const buttons = Object.entries(named.resource.buttons ?? {})
  const me = useMe(catalog, JSON.stringify(buttons).includes('$actor'))
  const can = canIn(answer)
  const isOpen = ({ create = {}, set = {}, when }: ButtonPart): boolean =>
    holds(when, valuesOf(record), me) &&
    (can === undefined ||
      (Object.keys(set).every((key) => can.update.includes(key)) &&
        Object.keys(create).every((end) => can.create?.[end] !== undefined)))
  const shown = buttons.filter(([, button]) => isOpen(button))
  return (
    <div className="row buttons">
      {shown.map(([name, button]) => (
        <OneButton {...props} button={button} key={name} me={me} />
      ))}
      <NamedActs {...{ again, answer, path }} resource={named.resource} />
    </div>
  )
}

type OneProps = ButtonsProps & { readonly button: ButtonPart; readonly me: Json }

/** Questions of a button: of the records that it writes, or of the route that it calls. */
interface Asked {
  readonly end: string
  readonly fields: readonly (readonly [string, Field])[]
}

function askedBy({ button, catalog, named }: OneProps): readonly Asked[] {
  const written = Object.entries(button.create ?? {}).map(([end, names]): Asked => {
    const child = catalog.resources[named.resource.below[end]?.to ?? '']
    return { end, fields: fieldsOf(child?.fields, names) }
  })
  const route = routeOf(named, button)
  const taken = Object.entries(route?.input?.properties ?? {}).map(
    ([name, schema]) => [name, asField(name, schema)] as const,
  )
  return [...written, ...(taken.length === 0 ? [] : [{ end: '', fields: taken }])]
}

function routeOf({ resource }: Named, { calls }: ButtonPart) {
  return resource.routes?.find(({ method, name }) => name === calls && method !== 'GET')
}

/** What a route takes, as a field of a form. */
function asField(name: string, schema: Schema & { readonly description?: string }): Field {
  const label = name.replace(/_id$/, '').replaceAll('_', ' ')
  return {
    label: label.charAt(0).toUpperCase() + label.slice(1),
    ...(schema.description === undefined ? {} : { description: schema.description }),
    type: String(schema.type ?? ''),
    schema,
    nullable: true,
  }
}

function OneButton(props: OneProps): ReactNode {
  const { button } = props
  const [isAsking, setAsking] = useState(false)
  const work = useWork()
  const asked = askedBy(props)
  const press = (): void => {
    if (asked.length > 0) setAsking(true)
    else if (!work.isBusy) work.run((signal, onWait) => act(props, {}, { signal, onWait }))
  }
  useKey(button.key ?? '', button.key === undefined ? undefined : press)
  return (
    <>
      <Button className="button" isDisabled={work.isBusy} onPress={press}>
        <Icon name={button.icon} />
        {button.label}
        {button.key === undefined ? null : <kbd className="not-phones">{button.key}</kbd>}
      </Button>
      <WorkFailure work={work} />
      {isAsking ? <AskBox {...props} asked={asked} onClose={() => setAsking(false)} /> : null}
    </>
  )
}

interface Doing {
  readonly signal: AbortSignal
  readonly onWait: (seconds: number) => void
}

/** Writes what was asked, then sets; the version that its reader saw is the one that is changed. */
async function act(props: OneProps, drafts: Readonly<Record<string, RecordData>>, doing: Doing): Promise<void> {
  const { again, answer, button, catalog, me, named, path, record } = props
  const route = routeOf(named, button)
  if (route !== undefined) {
    const id = path.split('/').at(-1) ?? ''
    await ask(route.path.replace('{id}', id), { method: 'POST', body: drafts[''] ?? {}, key: newKey(), ...doing })
  }
  const set = await valuesToSet(catalog, named, button.set ?? {}, me, doing.signal)
  for (const end of Object.keys(button.create ?? {}))
    await ask(`${path}/${end}`, { method: 'POST', body: drafts[end] ?? {}, key: newKey(), ...doing })
  // What was written below may be a new version of the record, too.
  const isWritten = route !== undefined || Object.keys(button.create ?? {}).length > 0
  const etag =
    Object.keys(set).length === 0
      ? undefined
      : (await ask(path, { method: 'PATCH', body: set, ifMatch: isWritten ? undefined : answer.etag, ...doing })).etag
  const inputs = inputsOf(named.resource, 'update', undefined).filter(({ name }) => Object.hasOwn(set, name))
  const before = Object.fromEntries(inputs.map((input) => [input.name, storedValue(input, record)]))
  const isStill = (now: RecordData): boolean =>
    inputs.every((input) => isSame(storedValue(input, now), set[input.name] ?? null))
  // What is written below, and what a route did, stays.
  if (isWritten || inputs.length === 0) notify(words().done(button.label))
  else notifyChange(words().done(button.label), { path, etag, before, isStill }, again)
  again()
}

/** The values with variables and related records as a body has them. */
export async function valuesToSet(
  catalog: Catalog,
  named: Named,
  set: RecordData,
  me: Json,
  signal: AbortSignal,
): Promise<RecordData> {
  const { fields, relations } = named.resource
  const entries = Object.entries(set).map(async ([key, value]): Promise<[string, Json]> => {
    if (!isRecord(value)) return [key, wanted(value, me)]
    const target = catalog.resources[relations[fields[key]?.relation ?? '']?.to ?? '']
    const query = new URLSearchParams({ where: JSON.stringify(value), per_page: '1' })
    const [row] = target === undefined ? [] : rowsIn(await ask(`${target.path}?${query}`, { signal }))
    if (row === undefined) throw new Error(words().noSuchValue)
    return [key, row.id ?? null]
  })
  return Object.fromEntries(await Promise.all(entries))
}

type AskProps = OneProps & { readonly asked: readonly Asked[]; readonly onClose: () => void }

function AskBox({ asked, onClose, ...props }: AskProps): ReactNode {
  const [kept, setKept] = useKeptDraft(`${props.path} ${props.button.label}`)
  const drafts = kept as Readonly<Record<string, RecordData>>
  const work = useWork()
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (work.isBusy) return
    work.run(async (signal, onWait) => {
      await act(props, drafts, { signal, onWait })
      setKept({})
      onClose()
    })
  }
  const change = (end: string, name: string, value: Json): void =>
    setKept({ ...drafts, [end]: { ...drafts[end], [name]: value } })
  return (
    <Box onClose={onClose} title={props.button.label}>
      <form className="form" noValidate onSubmit={send}>
        {asked.flatMap(({ end, fields }) =>
          fields.map(([name, field]) => (
            <Editor
              description={field.help ?? field.description}
              error={undefined}
              field={field}
              isRequired={field.create === 'required'}
              key={`${end} ${name}`}
              label={field.label}
              name={name}
              onBroken={() => undefined}
              onChange={(value) => change(end, name, value)}
              value={drafts[end]?.[name] ?? null}
            />
          )),
        )}
        <WorkFailure work={work} />
        <FormEnd isBusy={work.isBusy} does={props.button.label} onCancel={onClose} />
      </form>
    </Box>
  )
}
