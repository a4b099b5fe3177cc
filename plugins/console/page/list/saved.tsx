/** The saved view of an address: it is made, kept, renamed, shared and removed. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { ask, canIn, newKey, recordIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import { type Catalog, idOf, type Named, type RecordData } from '../client/catalog.ts'
import { notify } from '../client/notices.ts'
import { go, hrefOf, usePlace } from '../client/place.ts'
import { readSaved, savedQuery, savedResource, useSaved } from '../client/saved.ts'
import { allOf, type Condition } from '../client/screens.ts'
import { wordText } from '../format.tsx'
import { Box, Question } from '../shell/dialog.tsx'
import { FormEnd, WorkFailure } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { comparisonOf } from './condition.ts'
import { chosenFilters, conditionIn } from './query.ts'

interface SavedProps {
  readonly catalog: Catalog
  readonly named: Named
}

/** Keys of an address that are of the moment. */
const OF_THE_MOMENT = ['saved', 'where', 'page', 'do', 'day']

/** What a view keeps of an address: its filters as one condition, and the rest as it is. */
function keptOf({ resource }: Named, query: URLSearchParams): RecordData {
  const rest = new URLSearchParams(query)
  for (const key of OF_THE_MOMENT) rest.delete(key)
  const chosen = resource.list === undefined ? [] : chosenFilters(resource.list, query)
  const conditions = chosen.flatMap((one): Condition[] => {
    const filter = resource.list?.filters[one.name]
    if (filter === undefined || one.value === '') return []
    rest.delete(one.key)
    return [comparisonOf(one, filter)]
  })
  const written = query.get('where')
  const where = allOf([...conditions, ...(written === null ? [] : [conditionIn(written)])])
  return { where: where ?? null, query: rest.toString() === '' ? null : rest.toString() }
}

/** The saved view that an address names; undefined for another one. */
export function useSavedView(catalog: Catalog): RecordData | undefined {
  const { query } = usePlace()
  const id = query.get('saved')
  return useSaved(catalog).find((view) => idOf(view) === id)
}

type Open = 'new' | 'edit' | 'remove'

/** What may be done with the view of the address. */
function useActs({ catalog, named }: SavedProps) {
  const { query } = usePlace()
  const store = savedResource(catalog)
  const view = useSavedView(catalog)
  const [open, setOpen] = useState<Open | undefined>(undefined)
  const work = useWork()
  const path = `${store?.resource.path}/${view === undefined ? '' : idOf(view)}`
  const { answer } = useAnswer(view === undefined ? undefined : path, true)
  const can = answer === undefined ? undefined : canIn(answer)
  const kept = JSON.stringify(keptOf(named, query))
  const isOther = view !== undefined && kept !== JSON.stringify(keptOf(named, savedQuery(view)))
  const mayEdit = (can?.update.length ?? 0) > 0
  const keep = (): void =>
    work.run(async (signal, onWait) => {
      await ask(path, { method: 'PATCH', body: keptOf(named, query), signal, onWait })
      await readSaved(catalog)
      notify(words().saved)
    })
  const items = [
    { id: 'new', label: words().saveView, is: store?.resource.actions.includes('create') === true },
    { id: 'keep', label: words().keepView(String(view?.name)), is: mayEdit && isOther },
    { id: 'edit', label: words().editView, is: mayEdit },
    { id: 'remove', label: words().remove, is: can?.delete === true },
  ].filter(({ is }) => is)
  const act = (key: string): void => (key === 'keep' ? keep() : setOpen(key as Open))
  return { act, close: () => setOpen(undefined), items, open, path, store, view, work }
}

export function SavedMenu({ catalog, named }: SavedProps): ReactNode {
  const { act, close, items, open, path, store, view, work } = useActs({ catalog, named })
  if (store === undefined || items.length === 0) return null
  return (
    <>
      <MenuTrigger>
        <Button className="button">
          {words().view} <span aria-hidden="true">▾</span>
        </Button>
        <Popover className="popover">
          <Menu aria-label={words().view} items={items} onAction={(key) => act(String(key))}>
            {({ label }) => <MenuItem>{label}</MenuItem>}
          </Menu>
        </Popover>
      </MenuTrigger>
      <WorkFailure work={work} />
      {open === 'new' ? <ViewBox {...{ catalog, named, store }} onClose={close} view={undefined} /> : null}
      {open === 'edit' ? <ViewBox {...{ catalog, named, store, view }} onClose={close} /> : null}
      {open === 'remove' && view !== undefined ? <Removal {...{ catalog, named, path, view }} onClose={close} /> : null}
    </>
  )
}

interface RemovalProps extends SavedProps {
  readonly path: string
  readonly view: RecordData
  readonly onClose: () => void
}

function Removal({ catalog, named, onClose, path, view }: RemovalProps): ReactNode {
  const remove = async (): Promise<void> => {
    await ask(path, { method: 'DELETE' })
    onClose()
    await readSaved(catalog)
    notify(words().removed(String(view.name)))
    go(hrefOf([named.name]), { replace: true })
  }
  return (
    <Question
      no={words().cancel}
      onNo={onClose}
      onYes={remove}
      text={words().removeView}
      title={words().removeSure(String(view.name))}
      yes={words().remove}
    />
  )
}

interface BoxProps extends SavedProps {
  readonly store: Named
  readonly view: RecordData | undefined
  readonly onClose: () => void
}

/** The name of a view and who has it, as they are typed, and how they are sent. */
function useNaming({ catalog, named, onClose, store, view }: BoxProps) {
  const { query } = usePlace()
  const [name, setName] = useState(String(view?.name ?? ''))
  const [sharedWith, setSharedWith] = useState(String(view?.shared_with ?? 'me'))
  const [key] = useState(newKey)
  const work = useWork()
  const shared = store.resource.fields.shared_with
  const mayShare = (view === undefined ? shared?.create : shared?.update) !== undefined
  const options = mayShare ? (shared?.schema.enum ?? []).filter((word) => word !== null).map(String) : []
  const send = (event: FormEvent): void => {
    event.preventDefault()
    work.run(async (signal, onWait) => {
      const said = { name, ...(mayShare ? { shared_with: sharedWith } : {}) }
      const { path } = store.resource
      const body = view === undefined ? { ...said, resource: named.name, ...keptOf(named, query) } : said
      const to = view === undefined ? ({ method: 'POST', key } as const) : ({ method: 'PATCH' } as const)
      const address = view === undefined ? path : `${path}/${idOf(view)}`
      const stored = recordIn(await ask(address, { ...to, body, signal, onWait }))
      await readSaved(catalog)
      notify(words().saved)
      onClose()
      if (view === undefined) go(hrefOf([named.name], savedQuery(stored)))
    })
  }
  return { name, options, send, setName, setSharedWith, sharedWith, work }
}

function ViewBox(props: BoxProps): ReactNode {
  const { onClose, store, view } = props
  const { name, options, send, setName, setSharedWith, sharedWith, work } = useNaming(props)
  return (
    <Box onClose={onClose} title={view === undefined ? words().saveView : words().editView}>
      <form className="form" onSubmit={send}>
        <label className="field">
          <span>{store.resource.fields.name?.label}</span>
          <input maxLength={100} onChange={(event) => setName(event.target.value)} required value={name} />
        </label>
        {options.length === 0 ? null : (
          <label className="field">
            <span>{words().sharedWith}</span>
            <select onChange={(event) => setSharedWith(event.target.value)} value={sharedWith}>
              {options.map((option) => (
                <option key={option} value={option}>
                  {words().sharing[option as 'me'] ?? wordText(option)}
                </option>
              ))}
            </select>
          </label>
        )}
        <WorkFailure work={work} />
        <FormEnd isBusy={work.isBusy} does={words().save} onCancel={onClose} />
      </form>
    </Box>
  )
}
