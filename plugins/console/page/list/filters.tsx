/** The filters of a list: one token for each that is in the address, and a menu that adds one. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { rowsIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import { type Catalog, type Filter, type Resource, titleOf } from '../client/catalog.ts'
import { valueText } from '../format.tsx'
import { Box } from '../shell/dialog.tsx'
import { useKey } from '../shell/keys.tsx'
import { FormEnd } from '../shell/parts.tsx'
import { words } from '../words/words.ts'
import { FilterValue, labelOf, targetOf } from './filter-value.tsx'
import { type Change, type Chosen, chosenFilters, filterKey, operatorsOf } from './query.ts'
import { conditionText, WhereBox } from './where.tsx'

interface FiltersProps {
  readonly catalog: Catalog
  readonly resource: Resource
  readonly query: URLSearchParams
  readonly onChange: Change
}

interface Editing {
  readonly name: string
  readonly from?: Chosen
}

/** The entry of the menu that is no filter of its own; names of filters have no blanks. */
const BUILT = 'several conditions'

export function Filters({ catalog, onChange, query, resource }: FiltersProps): ReactNode {
  const [editing, setEditing] = useState<Editing | undefined>(undefined)
  const [isBuilding, setBuilding] = useState(false)
  const where = query.get('where') ?? ''
  const chosen = resource.list === undefined ? [] : chosenFilters(resource.list, query)
  const filter = editing === undefined ? undefined : resource.list?.filters[editing.name]
  const common = { catalog, onChange, resource }
  return (
    <>
      <FilterMenu
        onChoose={(name) => (name === BUILT ? setBuilding(true) : setEditing({ name }))}
        resource={resource}
      />
      {chosen.map((one) => (
        <Token {...common} chosen={one} key={one.key} onEdit={() => setEditing({ name: one.name, from: one })} />
      ))}
      {where === '' ? null : (
        <TokenOf
          onEdit={() => setBuilding(true)}
          onRemove={() => onChange({ where: null })}
          text={conditionText(resource, where)}
        />
      )}
      {isBuilding ? <WhereBox {...common} onClose={() => setBuilding(false)} text={where} /> : null}
      {editing === undefined || filter === undefined ? null : (
        <FilterBox {...common} editing={editing} filter={filter} onClose={() => setEditing(undefined)} />
      )}
    </>
  )
}

interface FilterMenuProps {
  readonly resource: Resource
  readonly onChoose: (name: string) => void
}

/** Every filter of the list, and the way to several at once. */
function FilterMenu({ onChoose, resource }: FilterMenuProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  useKey('f', () => setOpen(true))
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button className="button">+ {words().addFilter}</Button>
      <Popover className="popover">
        <Menu aria-label={words().filters} autoFocus="first" onAction={(key) => onChoose(String(key))}>
          {Object.entries(resource.list?.filters ?? {}).map(([name, { label }]) => (
            <MenuItem id={name} key={name} textValue={label}>
              {labelOf(resource, name, label)}
            </MenuItem>
          ))}
          <MenuItem id={BUILT}>{words().conditions} …</MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

interface TokenProps extends Omit<FiltersProps, 'query'> {
  readonly chosen: Chosen
  readonly onEdit: () => void
}

function Token({ catalog, chosen, onChange, onEdit, resource }: TokenProps): ReactNode {
  const filter = resource.list?.filters[chosen.name]
  const target = targetOf(catalog, resource, chosen.name)
  const isNull = chosen.operator === 'null'
  const { answer } = useAnswer(target === undefined || isNull ? undefined : namedBy(target, chosen.value))
  if (filter === undefined) return null
  const records = answer === undefined ? [] : rowsIn(answer)
  const shown =
    records.length > 0 && target !== undefined
      ? records.map((record) => titleOf(target, record)).join(', ')
      : wordOf(filter, chosen.value)
  const comparison =
    isNull && chosen.value === 'false'
      ? `${words().operators.ne} ${words().none}`
      : words().operators[chosen.operator as 'eq']
  const text = `${labelOf(resource, chosen.name, filter.label)} ${comparison}${isNull ? '' : ` ${shown}`}`
  return <TokenOf onEdit={onEdit} onRemove={() => onChange({ [chosen.key]: null })} text={text} />
}

interface TokenOfProps {
  readonly text: string
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function TokenOf({ onEdit, onRemove, text }: TokenOfProps): ReactNode {
  return (
    <span className="token">
      <Button className="button plain" onPress={onEdit}>
        {text}
      </Button>
      <Button aria-label={words().removeFilter(text)} className="button plain" onPress={onRemove}>
        ×
      </Button>
    </span>
  )
}

function wordOf({ type, values }: Filter, value: string): string {
  if (type === 'boolean') return value === 'true' ? words().yes : words().no
  return value
    .split(',')
    .map((one) => valueText(type, one, values))
    .join(', ')
}

/** The path of the records that a value names by their ids. */
function namedBy({ path }: Resource, value: string): string {
  const ids = value.split(',').map((id) => (/^\d{1,15}$/.test(id) ? Number(id) : id))
  return `${path}?${new URLSearchParams({ where: JSON.stringify({ id: { in: ids } }) })}`
}

interface FilterBoxProps extends Omit<FiltersProps, 'query'> {
  readonly editing: Editing
  readonly filter: Filter
  readonly onClose: () => void
}

function FilterBox({ catalog, editing, filter, onChange, onClose, resource }: FilterBoxProps): ReactNode {
  const operators = operatorsOf(filter)
  const [operator, setOperator] = useState(editing.from?.operator ?? operators[0] ?? 'eq')
  const [value, setValue] = useState(editing.from?.value ?? (filter.type === 'boolean' ? 'true' : ''))
  const apply = (event: FormEvent): void => {
    event.preventDefault()
    const before = editing.from === undefined ? {} : { [editing.from.key]: null }
    const sent = operator === 'null' && value !== 'false' ? 'true' : value
    onChange({ ...before, [filterKey(editing.name, operator)]: sent })
    onClose()
  }
  return (
    <Box onClose={onClose} title={labelOf(resource, editing.name, filter.label)}>
      <form className="form" onSubmit={apply}>
        <label className="field">
          <span>{words().comparison}</span>
          <select onChange={(event) => setOperator(event.target.value)} value={operator}>
            {operators.map((one) => (
              <option key={one} value={one}>
                {words().operators[one as 'eq'] ?? one}
              </option>
            ))}
          </select>
        </label>
        <FilterValue
          {...{ catalog, filter, operator, value }}
          onValue={setValue}
          target={targetOf(catalog, resource, editing.name)}
        />
        <FormEnd does={words().apply} onCancel={onClose} />
      </form>
    </Box>
  )
}
