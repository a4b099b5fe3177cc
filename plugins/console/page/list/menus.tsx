/** Menus of a list: which columns it has, and in which order its rows come. */
import { type ReactNode, useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import type { Resource } from '../client/catalog.ts'
import { words } from '../words/words.ts'
import { ArrangeBox } from './arrange.tsx'
import { type Column, columnText } from './columns.ts'
import { groupKeys } from './groups.tsx'
import type { Change } from './query.ts'

interface ColumnsProps {
  readonly all: readonly Column[]
  readonly shown: readonly Column[]
  readonly onChange: Change
}

/** Columns keep the order in which they were chosen, or get another one in their box. */
export function ColumnsMenu({ all, onChange, shown }: ColumnsProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const [isArranging, setArranging] = useState(false)
  const names = shown.map(({ key }) => key)
  const choose = (keys: ReadonlySet<string>): void => {
    const kept = shown.filter(({ key }) => keys.has(key)).map(columnText)
    const added = all.map(({ key }) => key).filter((key) => keys.has(key) && !names.includes(key))
    onChange({ columns: [...kept, ...added].join(',') })
  }
  const arrange = (): void => {
    setOpen(false)
    setArranging(true)
  }
  return (
    <>
      <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button className="button">{words().columns}</Button>
        <Popover className="popover">
          <Menu
            aria-label={words().columns}
            disallowEmptySelection
            onSelectionChange={(keys) =>
              choose(keys === 'all' ? new Set(all.map(({ key }) => key)) : new Set([...keys].map(String)))
            }
            selectedKeys={names}
            selectionMode="multiple"
          >
            {all.map(({ key, label }) => (
              <MenuItem id={key} key={key} textValue={label}>
                {({ isSelected }) => <Chosen is={isSelected} label={label} />}
              </MenuItem>
            ))}
          </Menu>
          <Button className="button plain" onPress={arrange}>
            {words().arrange}
          </Button>
        </Popover>
      </MenuTrigger>
      {isArranging ? <ArrangeBox columns={shown} onChange={onChange} onClose={() => setArranging(false)} /> : null}
    </>
  )
}

function Chosen({ is, label }: { readonly is: boolean; readonly label: string }): ReactNode {
  return (
    <>
      <span aria-hidden="true" className="mark">
        {is ? '✓' : ''}
      </span>
      {label}
    </>
  )
}

interface SortProps {
  readonly resource: Resource
  readonly columns: readonly Column[]
  readonly chosen: { readonly key: string; readonly isDown: boolean } | undefined
  readonly onChange: Change
}

/** Every sort key in both directions, also those that are no column. */
export function SortMenu({ chosen, columns, onChange, resource }: SortProps): ReactNode {
  const keys = resource.list?.sort.keys ?? []
  if (keys.length === 0) return null
  const labelOf = (key: string): string =>
    columns.find(({ sort }) => sort === key)?.label ?? resource.fields[key]?.label ?? key.replaceAll(/[._]/g, ' ')
  const current = chosen === undefined ? '' : `${chosen.isDown ? '-' : ''}${chosen.key}`
  const items = [
    { id: '', label: words().usualOrder },
    ...keys.flatMap((key) => [
      { id: key, label: words().ascending(labelOf(key)) },
      { id: `-${key}`, label: words().descending(labelOf(key)) },
    ]),
  ]
  return (
    <MenuTrigger>
      <Button className="button">{words().sort}</Button>
      <Popover className="popover">
        <Menu
          aria-label={words().sortedBy}
          disallowEmptySelection
          onSelectionChange={(chosenKeys) =>
            onChange({ sort: String([...chosenKeys][0] ?? '').replace(/^usual$/, '') })
          }
          selectedKeys={[current === '' ? 'usual' : current]}
          selectionMode="single"
        >
          {items.map(({ id, label }) => (
            <MenuItem id={id === '' ? 'usual' : id} key={id} textValue={label}>
              {({ isSelected }) => <Chosen is={isSelected} label={label} />}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

interface GroupProps {
  readonly resource: Resource
  readonly chosen: string | null
  readonly onChange: Change
}

/** By what the records are counted. */
export function GroupMenu({ chosen, onChange, resource }: GroupProps): ReactNode {
  const keys = groupKeys(resource)
  if (resource.figures === undefined || keys.length === 0) return null
  return (
    <MenuTrigger>
      <Button className="button">{words().groups}</Button>
      <Popover className="popover">
        <Menu
          aria-label={words().groups}
          onSelectionChange={(picked) => onChange({ group: [...picked].map(String)[0] ?? null })}
          selectedKeys={chosen === null ? [] : [chosen]}
          selectionMode="single"
        >
          {keys.map((key) => (
            <MenuItem id={key} key={key} textValue={resource.fields[key]?.label ?? key}>
              {({ isSelected }) => <Chosen is={isSelected} label={resource.fields[key]?.label ?? key} />}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
