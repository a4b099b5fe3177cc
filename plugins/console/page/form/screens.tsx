/** Screens that create a record and change one; what others changed meanwhile is never overwritten unseen. */
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { type Answer, type Asked, ask, canIn, newKey, Refusal, recordIn, sentences } from '../client/api.ts'
import { useRecord } from '../client/asking.ts'
import {
  type Catalog,
  idOf,
  type Json,
  type Named,
  type RecordData,
  type Resource,
  titleOf,
} from '../client/catalog.ts'
import { type Kept, keepDraft, keptDraft } from '../client/kept.ts'
import { notify } from '../client/notices.ts'
import { go, hrefOf, setUnsaved, usePlace } from '../client/place.ts'
import { listParts, listPath, type Within } from '../client/within.ts'
import { hasScreen } from '../format.tsx'
import { controlsOf } from '../record/controls.ts'
import { Files, filePlace, useFiles } from '../record/files.tsx'
import { Link } from '../shell/link.tsx'
import { Failed, Loading } from '../shell/parts.tsx'
import { useTitle } from '../shell/screen-title.ts'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { Conflict } from './conflict.tsx'
import { type Clash, changesOf, clashesOf, type Draft, type Input, inputsOf, storedValue, usualValue } from './draft.ts'
import { Form } from './form.tsx'
import type { Rehearse } from './rehearsal.ts'

/** A draft whose owner is asked before it is lost, and which is back after a reload. */
function useDraft(inputs: readonly Input[], base?: Pick<Kept, 'record' | 'etag'>) {
  const { address } = usePlace()
  const [draft, setDraft] = useState<Draft>(() => keptDraft(address)?.draft ?? {})
  const isEmpty = Object.keys(draft).length === 0
  useEffect(() => {
    if (keptDraft(address) !== undefined) notify(words().draftBack, { label: words().discard, run: () => setDraft({}) })
  }, [address])
  useEffect(() => {
    const shown = inputs.filter(({ field }) => field?.type !== 'secret').map(({ name }) => name)
    const kept = Object.entries(draft).filter(([name]) => shown.includes(name))
    keepDraft(
      address,
      kept.length === 0 ? undefined : { draft: Object.fromEntries(kept), record: base?.record ?? {}, etag: base?.etag },
    )
    setUnsaved(!isEmpty)
    return () => setUnsaved(false)
  }, [address, draft, inputs, base, isEmpty])
  const change = (name: string, value: Json): void => setDraft((before) => ({ ...before, [name]: value }))
  /** Leaves nothing of it behind. */
  const done = (): void => {
    setUnsaved(false)
    keepDraft(address, undefined)
  }
  return { draft, change, setDraft, done }
}

/** The body that creates a record: what was answered. */
function answered(draft: Draft): RecordData {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== null))
}

const NO_RECORD: RecordData = {}

interface CreateProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly within?: Within
}

export function CreateScreen({ catalog, named, within }: CreateProps): ReactNode {
  const { resource } = named
  const title = words().create(resource.label.one)
  useTitle(title, catalog.name)
  const inputs = useMemo(() => inputsOf(resource, 'create', within?.relation), [resource, within?.relation])
  const { change, done, draft } = useDraft(inputs)
  const work = useWork()
  const place = filePlace(catalog, named)
  const files = useFiles(place)
  // One key for one content: sent again it is done once, and changed it is another piece of work.
  const key = useMemo(() => (draft === undefined ? '' : newKey()), [draft])
  const parts = listParts(named, within)
  const back = within === undefined ? hrefOf(parts) : hrefOf([within.parent.name, within.id])
  const path = listPath(named, within)
  const rehearse: Rehearse = (of, signal) =>
    ask(`${path}?dry_run=true`, { method: 'POST', body: answered(of), key: 'never', signal })
  const save = (): void =>
    work.run(async (signal, onWait) => {
      const answer = await ask(path, { method: 'POST', body: answered(draft), key, signal, onWait })
      // The record is there: what its files are refused for is said, and its form is not sent again.
      const refused = await files.send(idOf(recordIn(answer)), signal).then(() => undefined, sentences)
      done()
      notify([words().saved, refused].filter((one) => one !== undefined).join('. '))
      const opens = within === undefined && hasScreen(catalog, named.name)
      go(opens ? hrefOf([named.name, idOf(recordIn(answer))]) : back, { replace: true })
    })
  return (
    <>
      <p className="crumbs">
        <Link href={back}>{within === undefined ? resource.label.many : within.parent.resource.label.one}</Link>
      </p>
      <h1>{title}</h1>
      <Form
        {...{ catalog, draft, inputs, rehearse, resource }}
        files={<Files files={files} place={place} />}
        on={files.on}
        onCancel={() => go(back)}
        onChange={change}
        onSave={save}
        record={NO_RECORD}
        valueFor={(input) => draft[input.name] ?? usualValue(input)}
        work={work}
      />
    </>
  )
}

interface EditProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly id: string
}

export function EditScreen({ catalog, id, named }: EditProps): ReactNode {
  const path = `${named.resource.path}/${encodeURIComponent(id)}`
  const { again, answer, failure } = useRecord(path)
  // A session that ends and begins again reads the record again; the form goes on with the one that it began with.
  const first = useRef<Answer | undefined>(undefined)
  first.current ??= answer
  useOtherFiles(named.resource, again)
  if (first.current === undefined || answer === undefined)
    return failure === undefined ? <Loading /> : <Failed onAgain={again} text={failure} />
  return <EditForm answer={first.current} catalog={catalog} named={named} now={answer} path={path} />
}

/** Calls `again` when the files of the application are others than before: the record may have other fields. */
function useOtherFiles(resource: Resource, again: () => void): void {
  const known = useRef(resource)
  useEffect(() => {
    if (known.current !== resource) again()
    known.current = resource
  }, [resource, again])
}

interface EditFormProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly path: string
  /** With which the form began. */
  readonly answer: Answer
  readonly now: Answer
}

/** The record that a draft began with, and where others changed the same. */
interface Base {
  readonly record: RecordData
  readonly etag: string | undefined
  readonly clashes: readonly Clash[]
}

/** What came of a save: the sentence to show, or a newer record with which the draft clashes. */
type Saved = string | Base

interface Saving extends Pick<Asked, 'signal' | 'onWait'> {
  readonly path: string
  readonly inputs: readonly Input[]
  readonly draft: Draft
  readonly base: Base
}

/** Sends what changed; over changes of others to other fields it sends once more, and over the same ones nothing. */
async function saveChanges({ base, draft, inputs, path, ...rest }: Saving): Promise<Saved> {
  const body = changesOf(inputs, draft, base.record)
  if (Object.keys(body).length === 0) return words().saved
  const send = (ifMatch: string | undefined) => ask(path, { ...rest, method: 'PATCH', body, ifMatch })
  try {
    await send(base.etag)
    return words().saved
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 412) throw error
    const now = await ask(path, rest)
    const clashes = clashesOf(inputs, draft, base.record, recordIn(now))
    if (clashes.length > 0) return { record: recordIn(now), etag: now.etag, clashes }
    await send(now.etag)
    return words().merged
  }
}

/** A draft may say null; without a word the stored value stays. */
function whenAbsent(draft: Draft, input: Input, record: RecordData): Json {
  return draft[input.name] === null ? null : storedValue(input, record)
}

/** The questions of an update that the writer of this record may answer; one that goes meanwhile stays, for what was typed. */
function useInputs(resource: Resource, answer: Answer): readonly Input[] {
  const first = useRef<readonly Input[]>(undefined)
  return useMemo(() => {
    const { edit } = controlsOf(resource, canIn(answer))
    // Keys that are no fields have no rights of their own.
    const isOpen = ({ field, name }: Input): boolean => edit.has(name) || (field !== undefined && field.update !== true)
    const now = inputsOf(resource, 'update', undefined).filter(isOpen)
    first.current ??= now
    return [...now, ...first.current.filter(({ name }) => !now.some((one) => one.name === name))]
  }, [resource, answer])
}

/** The record with which a draft begins; one that outlived a reload goes on with that which it began with. */
function useBase(answer: Answer) {
  const { address } = usePlace()
  return useState<Base>(() => {
    const { etag = answer.etag, record = recordIn(answer) } = keptDraft(address) ?? {}
    return { record, etag, clashes: [] }
  })
}

function EditForm({ answer, catalog, named, now, path }: EditFormProps): ReactNode {
  const { resource } = named
  const [base, setBase] = useBase(answer)
  const work = useWork()
  const inputs = useInputs(resource, now)
  const { change, done, draft, setDraft } = useDraft(inputs, base)
  const place = filePlace(catalog, named)
  const files = useFiles(place)
  const title = words().editing(titleOf(resource, base.record))
  useTitle(title, catalog.name)
  const back = hrefOf([named.name, idOf(base.record)])
  const save = (): void =>
    work.run(async (signal, onWait) => {
      const saved = await saveChanges({ path, inputs, draft, base, signal, onWait })
      if (typeof saved !== 'string') return setBase(saved)
      await files.send(idOf(base.record), signal)
      done()
      notify(saved)
      go(back, { replace: true })
    })
  const rehearse: Rehearse = (of, signal) =>
    ask(`${path}?dry_run=true`, { method: 'PATCH', body: changesOf(inputs, of, base.record), key: 'never', signal })
  const take = ({ input: { name } }: Clash): void => {
    const { [name]: _, ...rest } = draft
    setDraft(rest)
  }
  return (
    <>
      <Crumbs back={back} named={named} title={titleOf(resource, base.record)} />
      <h1>{title}</h1>
      <Form
        {...{ catalog, draft, inputs, rehearse, resource, work }}
        files={<Files files={files} place={place} />}
        on={files.on}
        key={base.etag}
        onCancel={() => go(back)}
        onChange={change}
        onSave={save}
        record={base.record}
        valueFor={(input) => draft[input.name] ?? whenAbsent(draft, input, base.record)}
      >
        <Conflict {...base} draft={draft} onKeep={({ input, yours }) => change(input.name, yours)} onTake={take} />
      </Form>
    </>
  )
}

interface CrumbsProps {
  readonly back: string
  readonly named: Named
  readonly title: string
}

function Crumbs({ back, named: { name, resource }, title }: CrumbsProps): ReactNode {
  return (
    <p className="crumbs">
      {resource.list?.own ? <Link href={hrefOf([name])}>{resource.label.many}</Link> : resource.label.many}
      {' / '}
      <Link href={back}>{title}</Link>
    </p>
  )
}
