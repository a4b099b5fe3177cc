/** What surrounds every screen: the menu, the palette, the account, and questions before changes are lost. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { addedPages, type Catalog, menuOf } from '../client/catalog.ts'
import { hrefOf, leave, useLeaving, usePlace } from '../client/place.ts'
import { useSession } from '../client/session.ts'
import { words } from '../words/words.ts'
import { Box, Question } from './dialog.tsx'
import { KeysBox, useChord, useKey } from './keys.tsx'
import { Link } from './link.tsx'
import { Menu } from './menu.tsx'
import { Palette } from './palette.tsx'
import { Fence, Notices } from './parts.tsx'
import { Screen } from './screen.tsx'
import { SignInAgain, SignInForm, SignInScreen, signInRoute, signOut, useName } from './sign-in.tsx'

type Open = 'palette' | 'keys' | 'menu' | 'sign-in'

export function Shell({ catalog }: { readonly catalog: Catalog }): ReactNode {
  const { token } = useSession()
  const [open, setOpen] = useState<Open | undefined>(undefined)
  const close = (): void => setOpen(undefined)
  const route = signInRoute(catalog)
  const [name] = usePlace().parts
  const isOpen = menuOf(catalog).length > 0 || addedPages(catalog).some(({ path }) => path === name)
  const mustSignIn = token === undefined && route !== undefined && !isOpen
  useAccent(catalog.console?.accent)
  useChord('k', () => mustSignIn || setOpen('palette'))
  useKey('?', () => setOpen('keys'))
  if (mustSignIn) return <SignInScreen catalog={catalog} route={route} />
  return (
    <>
      <a className="skip" href="#content">
        {words().skip}
      </a>
      <Top catalog={catalog} onOpen={setOpen} />
      <nav aria-label={words().menu} className="side">
        <Menu catalog={catalog} />
      </nav>
      <Content catalog={catalog} />
      <Notices />
      {open === 'palette' ? <Palette catalog={catalog} onClose={close} /> : null}
      {open === 'keys' ? <KeysBox onClose={close} /> : null}
      {open === 'menu' ? (
        <Box className="drawer" onClose={close} title={words().menu}>
          <Menu catalog={catalog} onFollow={close} />
        </Box>
      ) : null}
      {route === undefined ? null : <SignInAgain catalog={catalog} route={route} />}
      {open === 'sign-in' && route !== undefined && token === undefined ? (
        <Box onClose={close} title={words().signIn}>
          <SignInForm catalog={catalog} route={route} />
        </Box>
      ) : null}
      <Leaving />
    </>
  )
}

/** The application's own colour, also as it is on a dark page; `style.css` mixes it with the ground. */
function useAccent(accent: string | undefined): void {
  useEffect(() => {
    const { style } = document.documentElement
    if (accent === undefined) style.removeProperty('--chosen')
    else style.setProperty('--chosen', accent)
  }, [accent])
}

function Top({ catalog, onOpen }: { readonly catalog: Catalog; readonly onOpen: (open: Open) => void }): ReactNode {
  const { token } = useSession()
  const name = useName(catalog)
  return (
    <header className="top">
      <Button aria-label={words().menu} className="button plain for-phones" onPress={() => onOpen('menu')}>
        ☰
      </Button>
      <Link className="brand" href={hrefOf([])}>
        {catalog.name}
      </Link>
      <Button className="button find" onPress={() => onOpen('palette')}>
        {words().find} <kbd>Ctrl K</kbd>
      </Button>
      <Button aria-label={words().keys} className="button plain not-phones" onPress={() => onOpen('keys')}>
        ?
      </Button>
      {name === undefined ? null : (
        <span className="account not-phones" title={words().signedInAs(name)}>
          {name}
        </span>
      )}
      {token === undefined && signInRoute(catalog) !== undefined ? (
        <Button className="button" onPress={() => onOpen('sign-in')}>
          {words().signIn}
        </Button>
      ) : null}
      {token === undefined ? null : (
        <Button className="button" onPress={() => void signOut(catalog)}>
          {words().signOut}
        </Button>
      )}
    </header>
  )
}

/** The screen, which takes the focus when the address names another one. */
function Content({ catalog }: { readonly catalog: Catalog }): ReactNode {
  const { parts, query } = usePlace()
  const main = useRef<HTMLElement>(null)
  const name = [...parts, query.get('view') ?? '', query.get('do') ?? ''].join('/')
  const before = useRef(name)
  // What had the focus before, such as the form that signs people in, is gone.
  useEffect(() => {
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    if (before.current !== name) main.current?.focus({ preventScroll: true })
    if (before.current !== name) scrollTo(0, 0)
    before.current = name
  }, [name])
  return (
    <main className="content" id="content" ref={main} tabIndex={-1}>
      <Fence key={name}>
        <Screen catalog={catalog} />
      </Fence>
    </main>
  )
}

function Leaving(): ReactNode {
  const leaving = useLeaving()
  if (leaving === undefined) return null
  return (
    <Question
      no={words().stay}
      onNo={() => leave(false)}
      onYes={() => leave(true)}
      text={words().leaveText}
      title={words().leaveTitle}
      yes={words().leave}
    />
  )
}
