/** One value of a row, changed in its place: one request, and only of the version that its reader saw. */
import { type FormEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Dialog, Popover } from 'react-aria-components'
import { type Answer, ask, canIn, Refusal, recordIn, sentence } from '../client/api.ts'
import { type Catalog, idOf, type Json, type Named, type RecordData } from '../client/catalog.ts'
import { type Input, isSame, storedValue } from '../form/draft.ts'
import { Question } from '../form/form.tsx'
import { valueText } from '../format.tsx'
import { FormEnd, Loading } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'

interface CellEditorProps {
  readonly anchor: RefObject<HTMLElement | null>
  readonly catalog: Catalog
  readonly input: Input
  readonly named: Named
  readonly record: RecordData
  readonly onClose: () => void
  readonly onSaved: (record: RecordData) => void
}

export function CellEditor(props: CellEditorProps): ReactNode {
  const { anchor, input, onClose } = props
  return (
    <Popover className="popover cell-editor" isOpen onOpenChange={(isOpen) => isOpen || onClose()} triggerRef={anchor}>
      <Dialog aria-label={input.label}>
        <OneValue {...props} />
      </Dialog>
    </Popover>
  )
}

/** The record as it is now, the value that is typed, and how it is sent. */
function useOneValue({ input, named, onClose, onSaved, record }: CellEditorProps) {
  const path = `${named.resource.path}/${encodeURIComponent(idOf(record))}`
  const [read, setRead] = useState<Answer | undefined>(undefined)
  const [value, setValue] = useState<Json | undefined>(undefined)
  const [theirs, setTheirs] = useState<Json | undefined>(undefined)
  const work = useWork()
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once for each record
  useEffect(() => {
    work.run(async (signal) => setRead(await ask(path, { can: true, signal })))
  }, [path])
  const stored = read === undefined ? null : storedValue(input, recordIn(read))
  const save = (): void => {
    if (read === undefined) return
    if (value === undefined || isSame(value, stored)) {
      onClose()
      return
    }
    const sent = { method: 'PATCH', body: { [input.name]: value }, ifMatch: read.etag } as const
    work.run(async (signal, onWait) => {
      try {
        onSaved(recordIn(await ask(path, { ...sent, signal, onWait })))
        onClose()
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 412) throw error
        const now = await ask(path, { can: true, signal })
        setRead(now)
        setTheirs(storedValue(input, recordIn(now)))
      }
    })
  }
  return { read, save, setValue, theirs, work, value: value === undefined ? stored : value }
}

function OneValue(props: CellEditorProps): ReactNode {
  const { catalog, input, onClose } = props
  const { read, save, setValue, theirs, value, work } = useOneValue(props)
  const [broken, setBroken] = useState<string | undefined>(undefined)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (read !== undefined) form.current?.querySelector<HTMLElement>('[data-name]')?.focus()
  }, [read])
  const failure = work.failure === undefined ? undefined : sentenceFor(input, work.failure)
  if (read === undefined) return failure === undefined ? <Loading /> : <p className="bad">{failure}</p>
  if (canIn(read)?.update.includes(input.name) !== true) return <p className="bad">{words().mayNotChange}</p>
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    if (broken === undefined) save()
  }
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
  }
  return (
    <form className="form" noValidate onKeyDown={pressed} onSubmit={submit} ref={form}>
      <Question
        {...{ catalog, input, value }}
        draft={{}}
        error={broken ?? failure}
        onBroken={setBroken}
        onChange={setValue}
        record={recordIn(read)}
      />
      {theirs === undefined ? null : (
        <p role="alert">{words().theirsNow(valueText(input.field?.type ?? '', theirs, input.field?.values))}</p>
      )}
      <FormEnd isBusy={work.isBusy} does={words().save} onCancel={onClose} />
    </form>
  )
}

/** What is wrong with the value, or else with the request. */
function sentenceFor({ name }: Input, failure: unknown): string {
  const said = failure instanceof Refusal ? failure.errors[name] : undefined
  return said === undefined ? sentence(failure) : said.join('. ')
}
