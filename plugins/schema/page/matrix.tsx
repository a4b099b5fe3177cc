/** Who may do what: for each role none, some or all of the records; a cell opens the clauses that say so, and two roles are compared. */
import { Card, countText, Dialog, Link, Row, Select, Table, useRoute } from 'plinth/console'
import { type ReactNode, useState } from 'react'
import { Answered, Place, useText } from './parts.tsx'
import type { AccessRow, Cell, ToldAccess } from './told.ts'
import type { Words } from './words.ts'

/** A cell whose clauses are looked at. */
interface Open {
  readonly title: string
  readonly row: AccessRow
  readonly cell: Cell
}

export function MatrixPage(): ReactNode {
  const answer = useRoute('schema.access.json')
  return <Answered<ToldAccess> answer={answer}>{(access) => <Matrix access={access} />}</Answered>
}

function Matrix({ access }: { readonly access: ToldAccess }): ReactNode {
  const text = useText()
  const [only, setOnly] = useState('')
  const [[one, other], compare] = useState(['', ''])
  const [open, setOpen] = useState<Open | undefined>(undefined)
  const callers = access.callers.map(({ name }) => name)
  const isComparing = one !== '' && other !== ''
  const shown = isComparing ? [one, other] : callers
  const labelOf = (caller: string): string => text.caller[caller] ?? caller
  const rows = rowsOf(access).filter(
    ({ resource, row }) =>
      (only === '' || resource === only) && (!isComparing || saidOf(row.cells[one]) !== saidOf(row.cells[other])),
  )
  const resources = Object.entries(access.resources).map(([value, { label }]) => ({ value, label }))
  const choices = [{ value: '', label: text.noRole }, ...callers.map((value) => ({ value, label: labelOf(value) }))]
  return (
    <>
      <Row>
        <Select
          label={text.resource}
          onChange={setOnly}
          options={[{ value: '', label: text.all }, ...resources]}
          value={only}
        />
        <Select label={text.compare} onChange={(value) => compare([value, other])} options={choices} value={one} />
        <Select label={text.with} onChange={(value) => compare([one, value])} options={choices} value={other} />
      </Row>
      {rows.length === 0 ? (
        <p className="empty">{isComparing ? text.same : text.nothing}</p>
      ) : (
        <Card>
          <Table
            caption={text.tabs.access}
            head={[text.resource, text.action, ...shown.map(labelOf)]}
            rows={rows.map(({ action, label, resource, row }) => ({
              key: `${resource} ${action}`,
              cells: cellsOf({ action, label, resource, row }, shown, text, setOpen),
            }))}
          />
        </Card>
      )}
      {open === undefined ? null : <Clauses {...open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function cellsOf(
  { action, label, resource, row }: MatrixRow,
  shown: readonly string[],
  text: Words,
  onOpen: (open: Open) => void,
): readonly ReactNode[] {
  return [
    <Link key="resource" to={['schema', 'resource', resource]}>
      {label}
    </Link>,
    text.actions[action] ?? action,
    ...shown.map((caller) => {
      const title = `${label}: ${text.caller[caller] ?? caller}, ${text.actions[action] ?? action}`
      const cell = row.cells[caller]
      if (cell === undefined) return '–'
      return <CellButton cell={cell} key={caller} label={title} onOpen={() => onOpen({ title, row, cell })} />
    }),
  ]
}

interface MatrixRow {
  readonly resource: string
  readonly label: string
  readonly action: string
  readonly row: AccessRow
}

function rowsOf({ resources }: ToldAccess): readonly MatrixRow[] {
  return Object.entries(resources).flatMap(([resource, { actions, label }]) =>
    Object.entries(actions).map(([action, row]) => ({ resource, label, action, row })),
  )
}

function saidOf(cell: Cell | undefined): string {
  return JSON.stringify([cell?.kind, cell?.records, cell?.fields, cell?.kind === 'some' ? cell.clauses : []])
}

function numberOf({ atLeast, kind, records }: Cell, text: Words): string {
  if (kind === 'none') return text.kinds.none
  const count = records === null ? '' : ` (${atLeast === true ? '≥ ' : ''}${countText(records)})`
  return `${text.kinds[kind]}${count}`
}

interface CellButtonProps {
  readonly cell: Cell
  readonly label: string
  readonly onOpen: () => void
}

function CellButton({ cell, label, onOpen }: CellButtonProps): ReactNode {
  const text = useText()
  const said = numberOf(cell, text)
  return (
    <button aria-label={`${label}: ${said}`} className={`schema-cell ${cell.kind}`} onClick={onOpen} type="button">
      {said}
    </button>
  )
}

function Clauses({ cell, onClose, row, title }: Open & { readonly onClose: () => void }): ReactNode {
  const text = useText()
  const own = cell.clauses.flatMap((at) => row.clauses[at] ?? [])
  return (
    <Dialog onClose={onClose} title={title}>
      <p>
        {numberOf(cell, text)}
        {cell.uncounted === undefined ? null : `: ${cell.uncounted}`}
      </p>
      {cell.fields === undefined ? null : <p>{text.onlyFields(cell.fields.join(', '))}</p>}
      {own.length === 0 ? (
        <p>{text.noClause}</p>
      ) : (
        <ul className="schema-lines">
          {own.map(({ place, text: written }) => (
            <li key={place}>
              <code>{written}</code>
              <small>
                <Place place={place} />
              </small>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
