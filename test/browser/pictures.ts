/** Makes the pictures of the README from the demo, `npm run pictures`: a list of the console, and a record. */
import { application } from '../support/application.ts'
import { openBrowser, openPage } from '../support/browser.ts'

const ACCOUNT = { email: 'admin@desk.example', password: 'a long enough secret 9' }
const browser = await openBrowser()
if (browser === undefined) throw new Error('There is no Chromium: apt-get install -y --no-install-recommends chromium')
const env = { BASE_URL: 'http://localhost:3000', ADMIN_EMAIL: ACCOUNT.email, ADMIN_PASSWORD: ACCOUNT.password }
const app = await application({ resources: 'resources', env })
if ((await app.engine.command('demo', [])) !== 0) throw new Error('The demo did not fill the desk')
const { page } = await openPage(browser, { viewport: { width: 1280, height: 760 }, colorScheme: 'light' })
await page.goto(`${app.address}/console/tickets?sort=-id`)
await page.getByLabel('E-mail').fill(ACCOUNT.email)
await page.getByLabel('Password').fill(ACCOUNT.password)
await page.getByRole('button', { name: 'Sign in' }).click()
const row = page.locator('[data-at="0"]')
await row.waitFor()
await page.screenshot({ path: 'resources/console-list.png' })
await row.getByRole('link').click()
await page.locator('.laid .thread').waitFor()
await page.screenshot({ path: 'resources/console-record.png' })
await browser.close()
await app.close()
process.stdout.write('resources/console-list.png and resources/console-record.png are made\n')
process.exit(0)
