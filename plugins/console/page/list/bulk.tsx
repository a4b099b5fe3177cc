/** What is done to many rows at once: a preview first, then what was refused below each record, and the way back. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { Refusal, sentence } from '../client/api.ts'
import {
  type Catalog,
  idOf,
  type Json,
  type Named,
  type RecordData,
  type Resource,
  titleOf,
} from '../client/catalog.ts'
import { countMatching, doMany, type Outcome, readMatching, stillThere } from '../client/many.ts'
import { notify } from '../client/notices.ts'
import type { Pages } from '../client/pages.ts'
import { type Input, inputsOf, storedValue } from '../form/draft.ts'
import { Question as Asked } from '../form/form.tsx'
import { countText } from '../format.tsx'
import { Box } from '../shell/dialog.tsx'
import { useWork, type Work } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { ManyButtons } from './many-buttons.tsx'
import type { Selection } from './selection.ts'

/** With more records there is no way back, and no record is named below which something is refused. */
const MOST = 500
/** A preview counts so far. */
const COUNTED = 10_000

interface BulkProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly path: string
  /** The part of the query that says which records. */
  readonly choice: string
  readonly pages: Pages
  readonly selection: Selection
}

/** The bar over a list in which rows are chosen. */
export function BulkBar(props: BulkProps): ReactNode {
  const { choice, named, pages, selection } = props
  const [open, setOpen] = useState<'change' | 'delete' | undefined>(undefined)
  const { actions, batch } = named.resource
  const total = pages.pagination?.total ?? pages.rows.length
  const count = selection.isAll ? total : selection.ids.size
  const close = (): void => setOpen(undefined)
  if (count === 0 || batch === undefined) return null
  const mayChooseAll =
    !selection.isAll && choice !== '' && total > selection.ids.size && selection.ids.size >= pages.rows.length
  return (
    <section aria-label={words().chosen(countText(count))} className="row bulk card">
      <output aria-live="polite">{words().chosen(countText(count))}</output>
      {mayChooseAll ? (
        <Button className="button" onPress={selection.all}>
          {words().chooseAll(countText(total))}
        </Button>
      ) : null}
      <ManyButtons catalog={props.catalog} {...{ named, pages, selection }} />
      {actions.includes('update') ? (
        <Button className="button" onPress={() => setOpen('change')}>
          {words().change}
        </Button>
      ) : null}
      {actions.includes('delete') ? (
        <Button className="button" onPress={() => setOpen('delete')}>
          {words().remove}
        </Button>
      ) : null}
      <Button className="button plain" onPress={() => selection.only([])}>
        {words().chooseNone}
      </Button>
      {open === undefined ? null : <BulkBox {...props} count={count} onClose={close} verb={open} />}
    </section>
  )
}

interface BoxProps extends BulkProps {
  readonly count: number
  readonly verb: 'change' | 'delete'
  readonly onClose: () => void
}

/** The records that are meant: the chosen rows, or all that match and no more than the preview said. */
async function meant({ choice, pages, path, selection }: BoxProps, matched: number, signal: AbortSignal) {
  if (!selection.isAll) return pages.rows.filter((row) => selection.ids.has(idOf(row)))
  if (matched > MOST) throw new Refusal(409, words().tooManyAtOnce(countText(MOST)))
  const rows = await readMatching(path, choice, matched, { signal })
  if (rows.length !== matched) throw new Refusal(409, words().countChanged)
  return rows
}

/** The change that is asked for, its preview, and how it goes. */
function useBulk(props: BoxProps) {
  const { choice, count, named, onClose, pages, path, selection, verb } = props
  const [input, setInput] = useState<Input | undefined>(undefined)
  const [value, setValue] = useState<Json>(null)
  const [matched, setMatched] = useState<number | undefined>(selection.isAll ? undefined : count)
  const [done, setDone] = useState(0)
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const work = useWork()
  const preview = (): void => work.run(async (signal) => setMatched(await countMatching(path, choice, COUNTED, signal)))
  const act = (): void =>
    work.run(async (signal, onWait) => {
      const records = await meant(props, matched ?? count, signal)
      const change = input === undefined ? {} : { change: { [input.name]: value } }
      const sent = records.map((record) => ({ id: record.id ?? null, ...change }))
      const kind = verb === 'delete' ? 'delete' : 'update'
      const asked = { signal, onWait, onProgress: setDone }
      const came = await doMany(named.resource.batch ?? '', { verb: kind, records: sent }, asked)
      notify(
        words().didMany(countText(came.done.length), countText(came.refused.length)),
        back(props, records, came, input),
      )
      // What was refused stays chosen, so that it can be looked at and tried again.
      selection.only(came.refused.map(({ id }) => id))
      pages.again()
      if (came.refused.length === 0) onClose()
      else setOutcome(came)
    })
  const choose = (next: Input | undefined): void => {
    setInput(next)
    setValue(null)
  }
  return { act, choose, done, input, matched, outcome, preview, setValue, value, work }
}

function BulkBox(props: BoxProps): ReactNode {
  const { catalog, count, named, onClose, pages, verb } = props
  const { act, choose, input, matched, outcome, preview, setValue, value, work, done } = useBulk(props)
  const { resource } = named
  const isDelete = verb === 'delete'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (matched === undefined) preview()
    else act()
  }
  if (outcome !== undefined) return <RefusedBox {...{ named, onClose, outcome, pages }} />
  const does = isDelete ? words().remove : words().change
  return (
    <Box onClose={onClose} title={words().manyTitle(does, countText(count))}>
      <form className="form" onSubmit={submit}>
        {isDelete ? (
          <p>{resource.actions.includes('restore') ? words().removeHides : words().removeForGood}</p>
        ) : (
          <FieldChoice input={input} onChoose={choose} resource={resource} />
        )}
        {input === undefined ? null : (
          <Asked
            {...{ catalog, input, value }}
            draft={{}}
            error={undefined}
            onBroken={() => undefined}
            onChange={setValue}
            record={{}}
          />
        )}
        <p aria-live="polite">
          {matched === undefined ? words().previewFirst : words().wouldReach(countText(matched))}
        </p>
        <Going {...{ count, does, done, work }} />
        <div className="row end">
          <Button className="button" onPress={onClose}>
            {words().cancel}
          </Button>
          <button
            className={isDelete ? 'button danger' : 'button primary'}
            disabled={(!isDelete && input === undefined) || work.isBusy}
            type="submit"
          >
            {matched === undefined ? words().preview : does}
          </button>
        </div>
      </form>
    </Box>
  )
}

interface GoingProps {
  readonly count: number
  readonly does: string
  readonly done: number
  readonly work: Work
}

/** How far the work is, and why it stopped. */
function Going({ count, does, done, work }: GoingProps): ReactNode {
  return (
    <>
      {work.isBusy && done > 0 ? <progress aria-label={does} max={count} value={done} /> : null}
      {work.waits === undefined ? null : <p className="soft">{words().waiting(work.waits)}</p>}
      <p className="bad" role="alert">
        {work.failure === undefined ? '' : sentence(work.failure)}
      </p>
    </>
  )
}

interface FieldProps {
  readonly resource: Resource
  readonly input: Input | undefined
  readonly onChoose: (input: Input | undefined) => void
}

function FieldChoice({ input, onChoose, resource }: FieldProps): ReactNode {
  const inputs = inputsOf(resource, 'update', undefined).filter(({ isMany }) => !isMany)
  return (
    <label className="field">
      <span>{words().field}</span>
      <select
        onChange={(event) => onChoose(inputs.find(({ name }) => name === event.target.value))}
        required
        value={input?.name ?? ''}
      >
        <option value="">{words().choose}</option>
        {inputs.map((one) => (
          <option key={one.name} value={one.name}>
            {one.label}
          </option>
        ))}
      </select>
    </label>
  )
}

/** How to take a change of many back: what somebody else has changed since stays as it is. */
function back({ named, pages }: BoxProps, before: readonly RecordData[], { done }: Outcome, input: Input | undefined) {
  const { resource } = named
  const { batch = '' } = resource
  const undo = async (): Promise<Outcome> => {
    const quiet = { onProgress: () => undefined }
    if (input === undefined)
      return doMany(batch, { verb: 'restore', records: done.map(({ id = null }) => ({ id })) }, quiet)
    const still = await stillThere(resource, done, (record) => storedValue(input, record))
    const records = before
      .filter((record) => still.has(idOf(record)))
      .map((record) => ({ id: record.id ?? null, change: { [input.name]: storedValue(input, record) } }))
    const came = await doMany(batch, { verb: 'update', records }, quiet)
    const others = done.filter((record) => !still.has(idOf(record)))
    return { ...came, refused: [...came.refused, ...others.map((record) => ({ id: idOf(record), sentence: '' }))] }
  }
  const run = (): void =>
    void undo().then(
      (came) => {
        notify(words().didMany(countText(came.done.length), countText(came.refused.length)))
        pages.again()
      },
      (error) => notify(sentence(error)),
    )
  const isPossible = done.length > 0 && (input !== undefined || resource.actions.includes('restore'))
  return isPossible ? { label: words().undo, run } : undefined
}

interface RefusedProps extends Pick<BoxProps, 'named' | 'pages' | 'onClose'> {
  readonly outcome: Outcome
}

function RefusedBox({ named, onClose, outcome, pages }: RefusedProps): ReactNode {
  const nameOf = (id: string): string => {
    const row = pages.rows.find((one) => idOf(one) === id)
    return row === undefined ? id : titleOf(named.resource, row)
  }
  return (
    <Box onClose={onClose} title={words().didMany(countText(outcome.done.length), countText(outcome.refused.length))}>
      <ul className="refused">
        {outcome.refused.map(({ id, sentence: why }) => (
          <li key={id}>
            <strong>{nameOf(id)}</strong>: {why}
          </li>
        ))}
      </ul>
      <div className="row end">
        <Button autoFocus className="button" onPress={onClose}>
          {words().close}
        </Button>
      </div>
    </Box>
  )
}
