/** The palette: records of every resource that can be searched, and screens, by a few letters. */
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Autocomplete, Header, Input, ListBox, ListBoxItem, ListBoxSection, SearchField } from 'react-aria-components'
import { ask, rowsIn } from '../client/api.ts'
import { addedPages, type Catalog, idOf, menuOf, type Named, type RecordData, titleOf } from '../client/catalog.ts'
import { go, hrefOf } from '../client/place.ts'
import { savedQuery, useSaved } from '../client/saved.ts'
import { words } from '../words/words.ts'
import { Box } from './dialog.tsx'

interface Found {
  readonly href: string
  readonly title: string
}

interface Section {
  readonly name: string
  readonly found: readonly Found[]
}

const PAUSE_MS = 250
const SHORTEST = 2
const OF_EACH = 4

async function search({ name, resource }: Named, text: string, signal: AbortSignal): Promise<Section> {
  const query = new URLSearchParams({ search: text, per_page: String(OF_EACH) })
  const answer = await ask(`${resource.path}?${query}`, { signal })
  const found = rowsIn(answer).map((row) => ({ href: hrefOf([name, idOf(row)]), title: titleOf(resource, row) }))
  return { name: resource.label.many, found }
}

/** What the text finds among the records; one list that is refused hides no other. */
function useFound(
  catalog: Catalog,
  text: string,
): { readonly sections: readonly Section[]; readonly isAsking: boolean } {
  const [state, setState] = useState<{ readonly text: string; readonly sections: readonly Section[] }>({
    text: '',
    sections: [],
  })
  const wanted = text.trim().length < SHORTEST ? '' : text.trim()
  useEffect(() => {
    if (wanted === '') return setState({ text: '', sections: [] })
    const stop = new AbortController()
    const searched = menuOf(catalog).filter(
      ({ resource }) => resource.list?.search !== undefined && resource.actions.includes('get'),
    )
    const timer = setTimeout(async () => {
      const asked = searched.map((one) => search(one, wanted, stop.signal))
      const answers = await Promise.allSettled(asked)
      if (stop.signal.aborted) return
      const sections = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      setState({ text: wanted, sections: sections.filter(({ found }) => found.length > 0) })
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [catalog, wanted])
  return { sections: state.sections, isAsking: wanted !== state.text }
}

function screensOf(catalog: Catalog, saved: readonly RecordData[], text: string): readonly Found[] {
  const part = text.trim().toLocaleLowerCase()
  const lists = menuOf(catalog).map(({ name, resource }) => ({ href: hrefOf([name]), title: resource.label.many }))
  const forms = menuOf(catalog)
    .filter(({ resource }) => resource.actions.includes('create'))
    .map(({ name, resource }) => ({
      href: hrefOf([name], { do: 'create' }),
      title: words().create(resource.label.one),
    }))
  const views = menuOf(catalog).flatMap(({ name, resource }) =>
    Object.entries(resource.views ?? {}).map(([view, { label }]) => ({
      href: hrefOf([name], { view }),
      title: `${resource.label.many}: ${label}`,
    })),
  )
  const kept = saved.map((view) => ({
    href: hrefOf([String(view.resource)], savedQuery(view)),
    title: `${catalog.resources[String(view.resource)]?.label.many}: ${String(view.name)}`,
  }))
  const pages = addedPages(catalog).map(({ label, path }) => ({ href: hrefOf([path]), title: label }))
  return [...lists, ...pages, ...kept, ...views, ...forms]
    .filter(({ title }) => title.toLocaleLowerCase().includes(part))
    .slice(0, part === '' ? lists.length : 8)
}

export function Palette({ catalog, onClose }: { readonly catalog: Catalog; readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState('')
  const { isAsking, sections } = useFound(catalog, text)
  const saved = useSaved(catalog)
  const screens = useMemo(() => screensOf(catalog, saved, text), [catalog, saved, text])
  const all = [...sections, ...(screens.length === 0 ? [] : [{ name: words().screens, found: screens }])]
  const open = (href: string): void => {
    onClose()
    go(href)
  }
  return (
    <Box className="palette" onClose={onClose} title={words().findAnything}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField aria-label={words().findAnything} autoFocus>
          <Input placeholder={words().findHint} />
        </SearchField>
        <ListBox
          aria-label={words().findAnything}
          onAction={(key) => open(String(key))}
          renderEmptyState={() => <p className="soft">{isAsking ? words().loading : words().nothingFound}</p>}
          selectionMode="none"
        >
          {all.map(({ found, name }) => (
            <ListBoxSection id={name} key={name}>
              <Header>{name}</Header>
              {found.map(({ href, title }) => (
                <ListBoxItem id={href} key={href} textValue={title}>
                  {title}
                </ListBoxItem>
              ))}
            </ListBoxSection>
          ))}
        </ListBox>
      </Autocomplete>
    </Box>
  )
}
