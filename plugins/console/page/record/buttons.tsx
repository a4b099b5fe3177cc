/** Buttons of the YAML: values that are set, records that are written first, and routes of plugins, by one press. */
import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { type Answer, ask, canIn, download, newKey, Refusal, recordIn, rowsIn } from '../client/api.ts'
import {
  type Catalog,
  idOf,
  isRecord,
  type Json,
  type Named,
  type OfferedRoute,
  type RecordData,
} from '../client/catalog.ts'
import { holds, valuesOf, wanted } from '../client/holds.ts'
import { useMe } from '../client/me.ts'
import { notify } from '../client/notices.ts'
import { go, hrefOf } from '../client/place.ts'
import type { ButtonPart } from '../client/screens.ts'
import { notifyChange } from '../client/undo.ts'
import { inputsOf, isSame, storedValue, wayBack } from '../form/draft.ts'
import { Icon } from '../shell/icon.tsx'
import { useKey } from '../shell/keys.tsx'
import { WorkFailure } from '../shell/parts.tsx'
import { type Doing, useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { AskBox, askedBy, type Drafts, rowsOf } from './ask-box.tsx'
import { NamedActs } from './named-acts.tsx'

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
  const isOpen = ({ choose = {}, create = {}, set = {}, when }: ButtonPart): boolean =>
    holds(when, valuesOf(record), me) &&
    Object.values(choose).every((from) => !(from in named.resource.relations) || rowsOf(record, from).length > 0) &&
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
      {(named.resource.routes ?? []).filter(isFile).map((route) => (
        <FileButton
          key={route.path}
          path={`${path}${route.path.slice(route.path.lastIndexOf('/'))}`}
          text={route.summary}
        />
      ))}
    </div>
  )
}

/** Whether a route gives a file of the record. */
function isFile({ method, path, produces }: OfferedRoute): boolean {
  return method === 'GET' && produces !== undefined && /\/\{id\}\/[^/{]+$/.test(path)
}

function FileButton({ path, text }: { readonly path: string; readonly text: string }): ReactNode {
  const work = useWork()
  return (
    <>
      <Button className="button" isPending={work.isBusy} onPress={() => work.run((signal) => download(path, signal))}>
        {text}
      </Button>
      <WorkFailure work={work} />
    </>
  )
}

type OneProps = ButtonsProps & { readonly button: ButtonPart; readonly me: Json }

function routeOf({ resource }: Named, { calls }: ButtonPart) {
  return resource.routes?.find(({ method, name }) => name === calls && method !== 'GET')
}

function OneButton(props: OneProps): ReactNode {
  const { button } = props
  const [isAsking, setAsking] = useState(false)
  const work = useWork()
  const { catalog, named, path, record } = props
  const asked = askedBy(button, routeOf(named, button), catalog, named)
  const press = (): void => {
    if (asked.length > 0) setAsking(true)
    else if (!work.isBusy) work.run((signal, onWait) => act(props, {}, { signal, onWait, key: newKey() }))
  }
  useKey(button.key ?? '', button.key === undefined ? undefined : press)
  return (
    <>
      <Button className="button" isPending={work.isBusy} onPress={press}>
        <Icon name={button.icon} />
        {button.label}
        {button.key === undefined ? null : <kbd className="not-phones">{button.key}</kbd>}
      </Button>
      <WorkFailure work={work} />
      {isAsking ? (
        <AskBox
          {...{ asked, catalog, named, record }}
          label={button.label}
          onClose={() => setAsking(false)}
          onSend={(drafts, doing) => act(props, drafts, doing)}
          place={path}
        />
      ) : null}
    </>
  )
}

/** Writes what was asked, then sets; the version that its reader saw is the one that is changed. */
async function act(
  props: OneProps,
  drafts: Drafts,
  { key, ...doing }: Doing & { readonly key: string },
): Promise<void> {
  const { again, answer, button, catalog, me, named, path, record } = props
  const route = routeOf(named, button)
  if (route !== undefined) return call(props, route, drafts[''] ?? {}, doing)
  const set = await valuesToSet(catalog, named, button.set ?? {}, me, doing.signal)
  const inputs = inputsOf(named.resource, 'update', undefined).filter(({ name }) => Object.hasOwn(set, name))
  // What is written below may be a new version of the record, so the values that are set are looked at before that.
  const isWritten = Object.keys(button.create ?? {}).length > 0
  if (isWritten && inputs.length > 0) {
    const now = recordIn(await ask(path, { signal: doing.signal }))
    if (!inputs.every((input) => isSame(storedValue(input, now), storedValue(input, record))))
      throw new Refusal(412, words().changedSince)
  }
  for (const end of Object.keys(button.create ?? {}))
    await ask(`${path}/${end}`, { method: 'POST', body: drafts[end] ?? {}, ...doing, key: `${key}${end}` })
  const etag =
    Object.keys(set).length === 0
      ? undefined
      : (await ask(path, { method: 'PATCH', body: set, ifMatch: isWritten ? undefined : answer.etag, ...doing })).etag
  // What is written below, and what a route did, stays.
  if (isWritten || inputs.length === 0) notify(words().done(button.label))
  else notifyChange(words().done(button.label), { path, etag, ...wayBack(inputs, record, set) }, again)
  again()
}

/** Calls the route of a button for the version that its reader saw; what it answers is opened where it is another record. */
async function call(props: OneProps, route: OfferedRoute, body: RecordData, doing: Doing): Promise<void> {
  const { again, answer, button, named, path, record } = props
  const id = path.split('/').at(-1) ?? ''
  const sent = { ...doing, ifMatch: answer.etag, key: newKey(), ...(route.body === 'none' ? {} : { body }) }
  const { data, message } = await ask(route.path.replace('{id}', id), { method: 'POST', ...sent })
  notify(message ?? words().done(button.label))
  if (route.answers === named.name && isRecord(data) && idOf(data) !== idOf(record))
    go(hrefOf([named.name, idOf(data)]))
  else again()
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
