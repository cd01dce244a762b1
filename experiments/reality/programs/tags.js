// Lists the posts of each tag of a site, whose posts are a small file each: tags.js each|once|index
// All posts are read for each tag; or once; or from one file that has them all, for each tag.
const fs = require('fs')

const TAGS = 25
const mode = process.argv[2]

function posts() {
  if (mode === 'index') {
    return fs.readFileSync('posts.json', 'utf8').trimEnd().split('\n').map(text => JSON.parse(text))
  }
  const names = fs.readdirSync('posts').sort()
  return names.map(name => JSON.parse(fs.readFileSync(`posts/${name}`, 'utf8')))
}

const once = mode === 'once' ? posts() : []
let told = ''
for (let tag = 0; tag < TAGS; tag++) {
  const tagged = (mode === 'once' ? once : posts()).filter(post => post.tags.includes(tag))
  tagged.sort((one, other) => one.date - other.date || one.number - other.number)
  told += `tag ${tag}\n${tagged.map(post => `${post.date} ${post.title}\n`).join('')}`
}
fs.writeFileSync('out', told)
