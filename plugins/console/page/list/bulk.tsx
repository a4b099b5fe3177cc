/** What is done to many rows at once: a preview first, then what was refused below each record, and the way back. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { Refusal } from '../client/api.ts'
import { type Catalog, idOf, type Json, type Named, type Resource, titleOf } from '../client/catalog.ts'
import { type Chosen, countMatching, type Outcome } from '../client/many.ts'
import type { Pages } from '../client/pages.ts'
import { type Input, inputsOf } from '../form/draft.ts'
import { Question as Asked } from '../form/form.tsx'
import { countText } from '../format.tsx'
import { Box } from '../shell/dialog.tsx'
import { FormEnd, Going } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { type Act, perform } from './many-acts.ts'
import { ManyButtons } from './many-buttons.tsx'
import type { Selection } from './selection.ts'

interface BulkProps {
  readonly catalog: Catalog
  readonly named: Named
  /** All that match. */
  readonly all: Chosen
  readonly pages: Pages
  readonly selection: Selection
}

/** The bar over a list in which rows are chosen. */
export function BulkBar(props: BulkProps): ReactNode {
  const { all, named, pages, selection } = props
  const [open, setOpen] = useState<'change' | 'delete' | undefined>(undefined)
  const { actions, batch } = named.resource
  const total = pages.pagination?.total ?? pages.rows.length
  const count = selection.isAll ? total : selection.ids.size
  const close = (): void => setOpen(undefined)
  if (count === 0 || batch === undefined) return null
  const isOwn = named.resource.list?.own === true
  const mayChooseAll =
    isOwn && !selection.isAll && total > selection.ids.size && selection.ids.size >= pages.rows.length
  return (
    <section aria-label={words().chosen(countText(count))} className="row bulk card">
      <output aria-live="polite">{words().chosen(countText(count))}</output>
      {mayChooseAll ? (
        <Button className="button" onPress={selection.all}>
          {words().chooseAll(countText(total))}
        </Button>
      ) : null}
      <ManyButtons catalog={props.catalog} {...{ all, named, pages, selection }} />
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

/** The change that is asked for, its preview, and how it goes. */
function useBulk({ all, count, named, onClose, pages, selection, verb }: BoxProps) {
  const [input, setInput] = useState<Input | undefined>(undefined)
  const [value, setValue] = useState<Json>(null)
  const [matched, setMatched] = useState<number | undefined>(selection.isAll ? undefined : count)
  const [done, setDone] = useState(0)
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const work = useWork()
  const kind = verb === 'delete' ? 'delete' : 'update'
  const preview = (): void => work.run(async (signal) => setMatched(await countMatching(all, kind, signal)))
  const act = (): void =>
    work.run(async (signal, onWait) => {
      const isNamed = input !== undefined && kind === 'update'
      const asked: Act = isNamed
        ? { verb: kind, change: { [input.name]: value }, inputs: [input] }
        : { verb: kind, change: {}, inputs: [] }
      try {
        const doing = { signal, onWait, onProgress: setDone }
        const came = await perform({ all, named, pages, selection }, asked, matched ?? count, doing)
        if (came.refused.length === 0) onClose()
        else setOutcome(came)
      } catch (error) {
        // Others match by now: the next press counts them.
        if (error instanceof Refusal && error.status === 409 && selection.isAll) setMatched(undefined)
        throw error
      }
    })
  const choose = (next: Input | undefined): void => {
    setInput(next)
    setValue(next?.field?.type === 'boolean' && !next.field.nullable ? false : null)
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
        <Going does={does} max={count} value={done === 0 ? undefined : done} work={work} />
        <FormEnd
          does={matched === undefined ? words().preview : does}
          isBusy={(!isDelete && input === undefined) || work.isBusy}
          kind={isDelete ? 'danger' : 'primary'}
          onCancel={onClose}
        />
      </form>
    </Box>
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
