/** Acts that a plugin offers for a record by name: one route lists them, another one does one of them. */
import { type ReactNode, useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { type Answer, ask, newKey, rowsIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import { idOf, type Resource, valueAt } from '../client/catalog.ts'
import { notify } from '../client/notices.ts'
import { wordText } from '../format.tsx'
import { WorkFailure } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'

interface ActsProps {
  readonly resource: Resource
  readonly answer: Answer
  readonly path: string
  readonly again: () => void
}

/** The ends of paths that list acts, where the same path with a name does one. */
function endsOf({ routes = [] }: Resource): readonly string[] {
  return routes.flatMap(({ method, path }) => {
    const [, end] = /\/\{id\}\/(\w+)\/\{\w+\}$/.exec(path) ?? []
    const isListed = routes.some((one) => one.method === 'GET' && one.path.endsWith(`/{id}/${end}`))
    return method === 'POST' && end !== undefined && isListed ? [end] : []
  })
}

export function NamedActs(props: ActsProps): ReactNode {
  return endsOf(props.resource).map((end) => <Acts {...props} end={end} key={end} />)
}

function Acts({ again, answer, end, path }: ActsProps & { readonly end: string }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const listed = useAnswer(isOpen ? `${path}/${end}` : undefined)
  const work = useWork()
  const acts = listed.answer === undefined ? [] : rowsIn(listed.answer)
  const act = (id: string): void =>
    work.run(async (signal, onWait) => {
      const asked = { body: {}, ifMatch: answer.etag, key: newKey(), signal, onWait }
      await ask(`${path}/${end}/${encodeURIComponent(id)}`, { method: 'POST', ...asked })
      const name = valueAt(
        acts.find((row) => idOf(row) === id),
        'name',
      )
      notify(words().done(String(name ?? id)))
      again()
    })
  return (
    <>
      <MenuTrigger onOpenChange={setOpen}>
        <Button className="button" isPending={work.isBusy}>
          {wordText(end)} <span aria-hidden="true">▾</span>
        </Button>
        <Popover className="popover">
          <Menu
            aria-label={wordText(end)}
            onAction={(key) => act(String(key))}
            renderEmptyState={() => (
              <p className="soft none">
                {listed.failure ?? (listed.answer === undefined ? words().loading : words().nothingFound)}
              </p>
            )}
          >
            {acts.map((row) => (
              <MenuItem id={idOf(row)} key={idOf(row)}>
                {String(row.name ?? idOf(row))}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      <WorkFailure work={work} />
    </>
  )
}
