/** Routes of pages: those that links in mails open, and the one that asks for such a mail. */
import type { Route } from '../../engine/index.ts'
import { type FormContent, formPage } from '../pages/form-page.ts'
import { escaped, rootOf } from '../pages/page.ts'
import { authOptions } from './options.ts'
import { pageRoute } from './pages/page-route.ts'
import { LONGEST, SHORTEST } from './password.ts'

const askPage = pageRoute({
  path: '/password/reset',
  summary: 'The page to ask for a link to set a new password',
  handle: pageOf({
    title: '{{Forgot your password?}}',
    intro: '{{Give the e-mail address of your account, and a link to choose a new password is mailed to it by}}',
    to: '/auth/password/reset',
    form: `<label>{{E-mail}} <input name="email" type="email" autocomplete="username" required></label>
<button>{{Send the link}}</button>`,
    script: `
form.email.value = new URLSearchParams(location.search).get('email') || ''
const requestOf = () => ['', { email: form.email.value }]`,
  }),
  query: { email: { type: 'string', description: 'Filled into the form' } },
})

const resetPage = pageRoute({
  path: '/password/reset/{token}',
  summary: 'The page behind the link in a mail: choose a new password',
  handle: pageOf({
    title: '{{Choose a password}}',
    intro: '{{It is for your account at}}',
    to: '/auth/password/reset/',
    form: `<label>{{E-mail}} <input name="email" type="email" autocomplete="username" required></label>
<label>{{New password}} <input name="password" type="password" autocomplete="new-password" minlength="${SHORTEST}" maxlength="${LONGEST}" required></label>
<label>{{Once more}} <input name="again" type="password" autocomplete="new-password" required></label>
<button>{{Set password}}</button>`,
    script: `
form.email.value = new URLSearchParams(location.search).get('email') || ''
const requestOf = () => [token, { email: form.email.value, password: form.password.value, password_confirmation: form.again.value }]`,
    help: (root) => `<a href="${root}/password/reset">{{Ask for a new link}}</a>`,
  }),
  query: { email: { type: 'string', description: 'Filled into the form' } },
})

/** Needs a press of the button: programs that open the links of mails must not confirm anything. */
const confirmPage = pageRoute({
  path: '/email/verify/{token}',
  summary: 'The page behind the link in a mail: confirm an e-mail address',
  handle: pageOf({
    title: '{{Confirm your address}}',
    intro: '{{It is for the account that you yourself opened at}}',
    to: '/auth/email/verify',
    form: `<p>{{If it was not you who gave this address, leave this page.}}</p>
<button>{{This address is mine}}</button>`,
    script: `
const requestOf = () => ['', { token }]`,
  }),
})

export const pageRoutes: readonly Route[] = [askPage, resetPage, confirmPage]

/** The differences of the pages; `help` is the markup of a link, `root` the path of the application. */
interface PageContent extends Omit<FormContent, 'links'> {
  readonly help?: (root: string) => string
}

/** The handler of a page. */
function pageOf({ help, ...content }: PageContent): Route['handle'] {
  return formPage({
    ...content,
    links: (context) => {
      const root = rootOf(context)
      const { signInPage } = authOptions(context.options)
      const signIn = signInPage === undefined ? '' : `<a href="${escaped(root + signInPage)}">{{Sign in}}</a>`
      return `${help?.(escaped(root)) ?? ''}${signIn}`
    },
  })
}
