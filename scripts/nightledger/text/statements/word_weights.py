"""What each word of a line, its label or its heading adds to the log-odds that it is worth keeping.

``bench/fit_statements.py`` fitted it (logistic regression, L2) on 41,551 lines of daily logs
of 97 public workspaces, 4,342 of them worth keeping; how well it does on a workspace that was
not in the fit is measured by ``bench/bench_consolidate.py --held-out``.

Invariant: no word is a name (`bench/fit_statements.py` leaves out what is mostly
capitalized); a word that is not here counts nothing.
"""

_TABLE = """\
w.a -0.021 w.about -0.135 w.accepted 0.318 w.access 0.056 w.accessible -0.127 w.account -0.39 w.accuracy 0.123
w.across -0.171 w.action -0.384 w.actionable 0.14 w.activation -0.166 w.active -0.428 w.activity -0.199
w.actual 0.18 w.actually -0.374 w.add -0.376 w.added 0.165 w.address -0.209 w.admin 0.095 w.after -0.157
w.again -0.131 w.against -0.114 w.agent 0.32 w.alert -0.167 w.all -0.292 w.allowlist 0.104 w.already -0.337
w.also 0.135 w.always 0.371 w.am 0.116 w.an 0.083 w.analysis -0.145 w.and -0.079 w.angle -0.203 w.announce 0.184
w.app -0.142 w.approach -0.251 w.approval 0.239 w.architecture -0.121 w.are 0.125 w.around -0.11 w.article -0.119
w.articles 0.11 w.artifacts 0.102 w.as 0.282 w.ask 0.159 w.asked -0.479 w.at 0.253 w.attempted -0.232
w.audit -0.116 w.auth -0.095 w.authentication -0.166 w.autonomous 0.217 w.avoid -0.115 w.awaiting -0.237 w.b 0.142
w.backend 0.102 w.background 0.131 w.backlog -0.099 w.backup 0.203 w.balance -0.131 w.base -0.16 w.baseline -0.098
w.basic -0.194 w.batch -0.311 w.be 0.142 w.because 0.067 w.been 0.152 w.before 0.22 w.behavior -0.19 w.best 0.11
w.between 0.085 w.bin -0.316 w.binary 0.368 w.bird 0.156 w.blocked -0.28 w.blocks 0.217 w.blog -0.234 w.board 0.105
w.bot 0.531 w.both -0.404 w.brief 0.112 w.briefing 0.18 w.briefs 0.168 w.broken 0.139 w.browser 0.42 w.build 0.197
w.builds -0.158 w.built -0.245 w.business 0.132 w.but -0.559 w.buy -0.219 w.by 0.185 w.call -0.101 w.can 0.171
w.candidate -0.135 w.cannot 0.122 w.cap -0.156 w.capabilities -0.2 w.capture -0.181 w.captured 0.318 w.card -0.142
w.cards -0.15 w.case -0.121 w.category -0.156 w.cause 0.439 w.caused 0.196 w.causes 0.173 w.chain -0.106
w.change 0.224 w.channel 0.278 w.channels 0.251 w.chat -0.309 w.check -0.381 w.checked -0.344 w.checking 0.155
w.cleaned -0.144 w.cleanup -0.211 w.clear -0.16 w.client -0.267 w.closed 0.109 w.code -0.065 w.coding 0.211
w.color -0.168 w.columns 0.149 w.com 0.204 w.command 0.079 w.commands 0.162 w.commit -0.126 w.commits 0.108
w.committed -0.084 w.companies -0.175 w.complete -0.146 w.completed -0.219 w.complex 0.394 w.components -0.247
w.comprehensive -0.22 w.config 0.293 w.confirmation 0.148 w.connect -0.151 w.consistent -0.146
w.consolidation -0.124 w.container 0.279 w.containers 0.224 w.content -0.092 w.context -0.262 w.continuity -0.218
w.contracts -0.114 w.controls -0.165 w.core -0.076 w.correct 0.177 w.corrected -0.242 w.could -0.229 w.count -0.235
w.create 0.117 w.created -0.037 w.creation 0.101 w.critical -0.255 w.cron 0.132 w.crons -0.288 w.current 0.145
w.currently -0.086 w.customers 0.141 w.d 0.339 w.daily 0.037 w.dashboard 0.08 w.data -0.348 w.database -0.171
w.day -0.112 w.de 0.13 w.deadline -0.19 w.decision -0.142 w.deep 0.203 w.delete -0.094 w.delivery 0.117
w.deploy 0.099 w.design 0.106 w.despite -0.184 w.detection -0.128 w.dev 0.529 w.developer 0.158 w.did -0.132
w.digital 0.145 w.dir 0.258 w.direct 0.359 w.directly 0.196 w.directory -0.166 w.disabled -0.095 w.discovered 0.255
w.display -0.133 w.do 0.101 w.doc 0.119 w.docs -0.241 w.document -0.194 w.documentation -0.145 w.documented 0.296
w.doesn't 0.495 w.domain 0.398 w.domains 0.214 w.don't 0.445 w.done 0.218 w.down -0.193 w.download 0.187
w.drafts 0.142 w.driver 0.157 w.due -0.235 w.duration -0.123 w.during -0.304 w.e 0.181 w.earlier 0.205
w.early -0.167 w.edit -0.202 w.edits 0.207 w.em 0.223 w.email -0.063 w.emails 0.253 w.empty -0.176 w.en -0.138
w.enable -0.188 w.enabled -0.092 w.endpoint -0.264 w.endpoints -0.366 w.engine -0.149 w.environment 0.193
w.error -0.095 w.errors 0.301 w.established 0.339 w.et 0.122 w.etc -0.071 w.even 0.346 w.every 0.519
w.everything 0.189 w.evidence -0.139 w.example -0.352 w.exec 0.101 w.execute -0.151 w.executed -0.284
w.execution 0.063 w.exist -0.128 w.existed -0.146 w.expanded -0.146 w.experience 0.128 w.expired -0.151
w.explicitly 0.091 w.external -0.157 w.extracted -0.129 w.extraction -0.088 w.f -0.059 w.facts -0.158 w.fail 0.138
w.failed -0.151 w.failing -0.193 w.fails -0.255 w.failures 0.143 w.false 0.1 w.family -0.169 w.fast 0.205
w.feature -0.105 w.features -0.302 w.fee -0.216 w.feed -0.216 w.feedback -0.142 w.files 0.24 w.filter 0.131
w.filtering -0.197 w.final 0.065 w.finding -0.214 w.findings -0.094 w.fine 0.181 w.first -0.074 w.fix -0.073
w.fixed -0.266 w.fixes -0.085 w.flag 0.289 w.flagged -0.094 w.flow -0.289 w.folder 0.141 w.follow-up 0.094
w.for -0.051 w.form -0.192 w.format 0.335 w.found -0.095 w.foundation -0.162 w.framework -0.133 w.free 0.554
w.fresh -0.17 w.from 0.197 w.frontend -0.166 w.full -0.098 w.fully -0.229 w.future -0.231 w.gap -0.15 w.gaps -0.147
w.gates -0.164 w.gateway 0.198 w.gb 0.406 w.general 0.107 w.generated -0.147 w.generation 0.153 w.gets 0.185
w.guidance -0.122 w.h -0.125 w.handles 0.32 w.hardening -0.173 w.have 0.116 w.he 0.18 w.health 0.045
w.healthy -0.26 w.heartbeat 0.053 w.hero -0.179 w.high -0.182 w.his 0.348 w.hold -0.129 w.home -0.129 w.host 0.174
w.hour -0.205 w.hours -0.069 w.how -0.364 w.identity -0.093 w.idle -0.172 w.if -0.63 w.image 0.14 w.images 0.169
w.immediate 0.15 w.impact -0.135 w.implement -0.166 w.implementation -0.225 w.import 0.228 w.important 0.196
w.in 0.271 w.inbound -0.135 w.inbox 0.133 w.including 0.125 w.index 0.106 w.info -0.131 w.infrastructure -0.183
w.initially 0.192 w.inline -0.166 w.input -0.152 w.insights -0.254 w.install -0.142 w.installed 0.144
w.instead 0.089 w.instruction 0.167 w.integration -0.238 w.interaction -0.131 w.internal -0.175 w.into -0.105
w.investigate -0.159 w.is -0.05 w.isolated 0.351 w.issue 0.044 w.issues -0.068 w.it's -0.147 w.items -0.215
w.job -0.201 w.jobs 0.095 w.jpg -0.193 w.just 0.309 w.k 0.142 w.key -0.035 w.keys 0.21 w.keyword -0.151
w.knowledge -0.178 w.l -0.188 w.labels -0.168 w.last -0.078 w.later 0.141 w.launch -0.094 w.layer 0.139
w.learn -0.135 w.learnings 0.125 w.ledger -0.209 w.lesson 0.512 w.level 0.263 w.lib -0.195 w.like -0.264
w.likely -0.121 w.list -0.294 w.live 0.243 w.load -0.327 w.loaded -0.157 w.loading -0.129 w.local 0.186
w.locally 0.131 w.location 0.091 w.locked 0.228 w.log 0.137 w.logic -0.234 w.login -0.13 w.logs -0.073
w.long -0.177 w.longer 0.119 w.loop -0.32 w.loss -0.139 w.lost -0.18 w.low -0.153 w.m -0.119 w.macos 0.257
w.maintenance 0.125 w.management -0.148 w.mandatory 0.232 w.manual 0.354 w.manually 0.286 w.mapping -0.146
w.market -0.285 w.marketing 0.183 w.markets -0.116 w.max 0.211 w.may -0.066 w.memory -0.223 w.merge 0.134
w.messages -0.168 w.metadata -0.208 w.min 0.227 w.mismatch -0.266 w.missing -0.328 w.mission-control -0.33
w.mit 0.195 w.mo 0.305 w.mode 0.177 w.model 0.2 w.models 0.149 w.modified -0.163 w.module 0.137 w.momentum -0.159
w.monitor -0.133 w.monitoring -0.233 w.monthly 0.137 w.more -0.117 w.morning 0.223 w.move 0.196 w.ms -0.261
w.multi-agent -0.197 w.must 0.304 w.my -0.082 w.n 0.27 w.name 0.155 w.named 0.193 w.names 0.109 w.native 0.125
w.need -0.193 w.needed -0.162 w.needs -0.489 w.net -0.425 w.network -0.185 w.new -0.119 w.news 0.147 w.next -0.124
w.nginx 0.137 w.no -0.282 w.node 0.304 w.noise -0.202 w.not 0.165 w.note 0.302 w.notes -0.113 w.nothing -0.156
w.notifications 0.112 w.now 0.148 w.npm -0.236 w.npx 0.203 w.o 0.363 w.of -0.195 w.old 0.085 w.on 0.166
w.once -0.152 w.one 0.215 w.only -0.107 w.open 0.062 w.operational -0.284 w.ops -0.136 w.optimization -0.119
w.option 0.189 w.or -0.256 w.order 0.125 w.org 0.136 w.other 0.098 w.out 0.226 w.outreach 0.264 w.over 0.187
w.overlay 0.185 w.overnight -0.194 w.owner 0.185 w.p -0.214 w.page -0.347 w.pages 0.126 w.paid 0.18 w.panel -0.172
w.parent 0.311 w.parsing -0.168 w.partner 0.157 w.pass -0.168 w.passed -0.165 w.password -0.273 w.path -0.07
w.paths -0.148 w.pattern -0.127 w.patterns -0.294 w.payment -0.119 w.pending -0.419 w.per -0.126
w.performance -0.121 w.permission 0.288 w.permissions -0.229 w.personal 0.134 w.photo -0.206 w.photos -0.215
w.pipeline 0.158 w.plain 0.153 w.planned -0.157 w.platform -0.138 w.playbook -0.177 w.plugin -0.119 w.plus 0.151
w.point 0.171 w.policy 0.161 w.polish -0.204 w.port 0.135 w.portfolio 0.077 w.positions -0.246 w.posted -0.208
w.posting 0.098 w.posts 0.13 w.potential -0.171 w.preference 0.369 w.prefers 0.415 w.prep -0.139 w.present -0.349
w.preserved -0.237 w.prevent 0.305 w.preview -0.226 w.price -0.248 w.priority 0.061 w.problem 0.131 w.process 0.123
w.processes 0.181 w.product 0.103 w.production 0.121 w.profile 0.32 w.progress -0.216 w.projects 0.24
w.promotion 0.308 w.prompt -0.114 w.prompts -0.122 w.proof -0.181 w.properly -0.143 w.protocol -0.154
w.provided -0.188 w.provider 0.104 w.proxy 0.464 w.public 0.176 w.published 0.124 w.purpose -0.164 w.push 0.184
w.pushed -0.152 w.py 0.056 w.q -0.247 w.query -0.2 w.question 0.151 w.queue -0.228 w.quota 0.146 w.qwen 0.14
w.r 0.133 w.ran -0.412 w.range -0.145 w.rather -0.305 w.raw 0.172 w.read 0.063 w.ready -0.206 w.real -0.046
w.reasoning 0.278 w.received -0.143 w.recent -0.283 w.recommendation -0.195 w.recommended -0.197 w.red -0.219
w.redacted -0.188 w.reference 0.269 w.references 0.188 w.refresh 0.096 w.reliability 0.216 w.reliable 0.215
w.remain 0.251 w.remaining -0.273 w.reminder -0.07 w.remote 0.268 w.remove 0.124 w.removed -0.154 w.renamed 0.26
w.renders -0.172 w.replies 0.287 w.reply 0.08 w.repo 0.336 w.reported -0.115 w.repos 0.149 w.requests 0.109
w.requirement 0.16 w.requires 0.134 w.reset 0.304 w.resolution -0.348 w.resources -0.206 w.restart -0.116
w.restarted -0.195 w.restarts 0.183 w.restore 0.172 w.result -0.263 w.results 0.166 w.returned -0.21
w.returns -0.12 w.reverted -0.174 w.review -0.291 w.role 0.162 w.roles 0.15 w.rollback -0.436 w.root 0.433
w.routes -0.154 w.routine 0.174 w.routing 0.088 w.rule 0.698 w.run -0.081 w.running -0.15 w.runtime -0.215
w.safe 0.149 w.safety 0.132 w.sales -0.147 w.same -0.151 w.sample -0.141 w.sandbox 0.123 w.save 0.156 w.saved 0.069
w.say 0.186 w.says -0.14 w.scale -0.133 w.scheduled -0.184 w.schema 0.106 w.schemas -0.165 w.scope 0.197
w.score 0.149 w.scores -0.162 w.screen -0.158 w.script 0.154 w.scripts 0.099 w.second 0.213 w.secret 0.163
w.secrets 0.139 w.section -0.209 w.sections -0.177 w.security -0.261 w.see -0.247 w.selection -0.265 w.send 0.085
w.sends 0.141 w.separate 0.219 w.sequence -0.171 w.server 0.149 w.service -0.113 w.services 0.122 w.session 0.268
w.sessions -0.055 w.setup -0.241 w.sh 0.363 w.shell -0.111 w.showed -0.17 w.showing -0.133 w.shows -0.39
w.sidebar -0.172 w.signal -0.317 w.silent 0.178 w.simple 0.276 w.since -0.305 w.skill -0.209 w.slow -0.258
w.small 0.17 w.smart -0.118 w.snapshot 0.089 w.so -0.398 w.software 0.254 w.solution 0.398 w.source 0.162
w.sources 0.131 w.specialist -0.208 w.specific -0.186 w.specs 0.13 w.src -0.213 w.stable -0.084 w.stack 0.092
w.start -0.174 w.started -0.081 w.starting 0.182 w.startup 0.144 w.state -0.227 w.stats -0.122 w.status -0.185
w.step -0.236 w.still -0.436 w.stock 0.124 w.stop -0.147 w.storage 0.226 w.stored 0.331 w.stories 0.158
w.strategic 0.139 w.strategy -0.259 w.structure -0.207 w.style 0.284 w.styling -0.191 w.submitted -0.17
w.succeeded 0.218 w.success 0.108 w.successful -0.159 w.successfully -0.086 w.summary -0.053 w.supports -0.256
w.switch 0.223 w.switched 0.161 w.sync 0.12 w.system -0.368 w.systemd -0.165 w.t 0.098 w.tags 0.164 w.taken 0.156
w.target 0.147 w.task -0.201 w.tasks 0.184 w.team -0.13 w.tech 0.472 w.technical 0.129 w.templates -0.351
w.test -0.444 w.testing -0.285 w.tests -0.164 w.text -0.129 w.than -0.126 w.that 0.064 w.that's -0.183 w.the -0.115
w.their 0.257 w.then 0.385 w.these -0.115 w.thesis -0.339 w.they -0.259 w.things 0.281 w.think -0.168 w.this -0.162
w.three -0.274 w.threshold 0.213 w.through -0.296 w.tier 0.131 w.timed -0.172 w.timeline -0.101 w.times -0.162
w.timestamp -0.246 w.timezone 0.343 w.title 0.202 w.today -0.157 w.today's -0.264 w.token -0.039 w.tokens 0.182
w.too 0.334 w.tool 0.108 w.tools 0.145 w.top -0.209 w.total -0.135 w.track -0.148 w.tracking -0.141
w.trading -0.125 w.transaction -0.189 w.transactions -0.151 w.treated -0.175 w.tried -0.148 w.triggered -0.191
w.true 0.203 w.truth 0.256 w.tsx -0.089 w.two 0.131 w.txt -0.174 w.type -0.298 w.types -0.189 w.unchanged -0.174
w.unless 0.112 w.unread -0.167 w.until 0.172 w.up -0.079 w.update -0.267 w.upgrade -0.089 w.upgraded -0.154
w.usage -0.092 w.use 0.444 w.user 0.231 w.users 0.15 w.uses 0.196 w.using 0.117 w.v -0.076 w.valid 0.242
w.validated -0.121 w.validation -0.373 w.value -0.122 w.vault 0.382 w.verdict -0.369 w.verification -0.461
w.verified -0.198 w.verify -0.103 w.version -0.481 w.versions -0.175 w.via 0.144 w.video 0.103 w.videos 0.115
w.visible -0.247 w.vision 0.197 w.voice -0.156 w.vs -0.501 w.wait 0.141 w.waiting -0.205 w.wants 0.43
w.warning 0.123 w.was 0.192 w.watch -0.112 w.watchdog -0.115 w.we -0.154 w.web 0.374 w.webhook -0.232 w.week -0.256
w.were -0.206 w.what -0.278 w.when 0.316 w.why -0.415 w.will -0.085 w.window -0.15 w.with -0.287 w.without -0.12
w.work 0.155 w.workaround 0.382 w.workflows -0.22 w.working 0.141 w.works 0.144 w.workspace 0.138 w.would 0.117
w.wrapper -0.234 w.write 0.235 w.wrong -0.115 w.wrote 0.199 w.x 0.377 w.y 0.205 w.year 0.161 w.yes -0.141
w.yet -0.533 w.you -0.197 w.you're -0.14 w.zero 0.305 w.zone 0.186 w.今日 -0.137 w.任务 -0.202 w.优先 0.268 w.信号 -0.115
w.修复 -0.202 w.关键 0.179 w.内容 0.131 w.功能 -0.149 w.原因 0.175 w.命令 0.185 w.备份 -0.115 w.失败 0.136 w.存在 -0.159 w.学习 -0.191
w.完成 -0.143 w.完整 0.173 w.定时 -0.096 w.工作 0.098 w.工具 0.12 w.市场 0.129 w.当前 0.153 w.成本 0.178 w.所有 0.427 w.执行 -0.064
w.技术 -0.117 w.技能 0.105 w.持续 -0.172 w.推送 0.258 w.操作 0.121 w.支持 -0.15 w.文件 0.131 w.方向 0.168 w.方案 0.118 w.时间 -0.117
w.智能 -0.115 w.本地 0.228 w.机制 -0.13 w.框架 -0.105 w.检查 0.199 w.正常 -0.091 w.每天 0.189 w.状态 -0.239 w.生成 -0.081 w.用户 0.106
w.直接 0.343 w.确认 0.342 w.管理 0.11 w.结论 0.217 w.设置 0.198 w.资金 0.117 w.超时 -0.117 w.运行 -0.123 w.通知 -0.128 w.配置 -0.094
w.问题 0.078 w.需要 -0.127 w.项目 -0.107 wh.a -0.158 wh.access 0.454 wh.account 0.151 wh.accounts 0.24 wh.action -0.293
wh.actions -0.434 wh.activity 0.122 wh.added -0.076 wh.after 0.116 wh.afternoon -0.061 wh.agents 0.068 wh.all 0.067
wh.am -0.201 wh.analysis -0.466 wh.and -0.495 wh.app -0.289 wh.applied -0.271 wh.approved 0.246
wh.architecture -0.069 wh.audit -0.252 wh.b -0.36 wh.backup 0.178 wh.batch -0.137 wh.blocked -0.131
wh.blocker -0.163 wh.bot 0.125 wh.brief 0.191 wh.browser 0.132 wh.bug -0.279 wh.build -0.164 wh.built -0.187
wh.business -0.175 wh.c -0.194 wh.cause 0.307 wh.changes -0.112 wh.check -0.118 wh.cleanup -0.368 wh.code -0.384
wh.commits -0.139 wh.communication 0.453 wh.complete 0.203 wh.completed -0.06 wh.config 0.158
wh.configuration -0.257 wh.confirmed 0.394 wh.content -0.346 wh.context 0.517 wh.conversation -0.138 wh.core -0.094
wh.cost 0.134 wh.created -0.259 wh.critical -0.107 wh.cron -0.353 wh.current 0.157 wh.daily 0.287
wh.dashboard -0.281 wh.day -0.088 wh.decision 0.121 wh.decisions 0.254 wh.delivered -0.109 wh.deploy 0.23
wh.deployed -0.309 wh.design 0.085 wh.discovery 0.561 wh.do 0.296 wh.docs -0.272 wh.documentation -0.382
wh.done -0.149 wh.e 0.343 wh.email -0.141 wh.end 0.123 wh.established 0.777 wh.evening -0.141 wh.execution -0.137
wh.feature -0.161 wh.features -0.267 wh.feedback 0.482 wh.files -0.176 wh.final 0.065 wh.findings -0.497
wh.first 0.223 wh.fix -0.199 wh.fixed 0.259 wh.for -0.165 wh.from 0.128 wh.full -0.239 wh.gateway 0.144 wh.git 0.07
wh.happened 0.182 wh.health -0.367 wh.heartbeat -0.445 wh.i -0.162 wh.identified -0.217 wh.identity 0.245
wh.immediate -0.129 wh.implementation -0.163 wh.implemented -0.115 wh.in -0.052 wh.infrastructure 0.21
wh.insight -0.092 wh.insights -0.242 wh.installed -0.272 wh.integration -0.13 wh.is -0.144 wh.issue -0.271
wh.issues -0.163 wh.items -0.291 wh.job 0.467 wh.jobs 0.42 wh.knowledge -0.248 wh.late 0.053 wh.learned 0.3
wh.learnings 0.409 wh.lessons 0.104 wh.live -0.193 wh.log -0.408 wh.made 0.249 wh.major -0.067 wh.management -0.134
wh.market 0.065 wh.memory -0.065 wh.migration 0.42 wh.mobile -0.104 wh.model 0.16 wh.modified -0.087
wh.monitor -0.208 wh.monitoring 0.234 wh.morning -0.348 wh.next -0.261 wh.night -0.362 wh.no -0.173 wh.note -0.284
wh.notes 0.709 wh.observations 0.177 wh.of -0.359 wh.open 0.236 wh.other -0.18 wh.overnight -0.271 wh.p -0.225
wh.path -0.389 wh.pattern 0.288 wh.pending 0.061 wh.personal 0.303 wh.plan -0.106 wh.priority -0.135
wh.product 0.341 wh.progress 0.183 wh.project -0.254 wh.protocol -0.099 wh.queue -0.308 wh.real 0.151
wh.remaining -0.21 wh.reminder 0.557 wh.repo 0.154 wh.report 0.067 wh.required -0.142 wh.research -0.313
wh.resolved 0.34 wh.results 0.106 wh.review -0.406 wh.role 0.28 wh.root 0.406 wh.rule 0.267 wh.rules 0.21
wh.run -0.278 wh.scripts -0.25 wh.search 0.429 wh.security 0.171 wh.sent -0.225 wh.skill -0.148 wh.skills -0.231
wh.solution 0.095 wh.state 0.256 wh.stats -0.124 wh.status -0.442 wh.steps -0.097 wh.still -0.098
wh.strategic 0.155 wh.strategy 0.262 wh.structure 0.249 wh.summary 0.122 wh.sync -0.116 wh.system -0.243
wh.task -0.353 wh.tasks -0.292 wh.team 0.232 wh.the -0.127 wh.this -0.653 wh.timeline -0.259 wh.to -0.297
wh.today 0.154 wh.today's -0.185 wh.tomorrow -0.101 wh.tool 0.13 wh.tools -0.537 wh.top -0.291 wh.total -0.155
wh.tracking 0.15 wh.trading -0.378 wh.update 0.246 wh.updated 0.371 wh.updates 0.257 wh.upgrade 0.217 wh.usage 0.26
wh.user 0.131 wh.v 0.047 wh.validation 0.151 wh.verification -0.287 wh.verified -0.198 wh.voice 0.103 wh.vs 0.119
wh.was -0.14 wh.week -0.234 wh.weekly -0.151 wh.what -0.289 wh.what's -0.242 wh.why -0.347 wh.with 0.177
wh.workflow 0.395 wh.workspace -0.257 wh.x -0.142 wh.今日 -0.149 wh.任务 -0.082 wh.信息 0.278 wh.修复 0.133 wh.关注 -0.124
wh.关键 -0.124 wh.内容 0.232 wh.分析 -0.163 wh.发现 0.085 wh.完成 0.303 wh.工具 -0.126 wh.待办 -0.114 wh.技能 -0.063 wh.文件 -0.148
wh.更新 0.193 wh.核心 -0.08 wh.检查 -0.27 wh.状态 -0.265 wh.用户 0.882 wh.记录 0.137 wh.配置 -0.129 wh.重要 0.384 wh.问题 0.336
wl.account 0.14 wl.action -0.09 wl.agent -0.18 wl.applied 0.186 wl.at -0.201 wl.bug -0.225 wl.build -0.143
wl.c -0.17 wl.cause 0.244 wl.check -0.163 wl.confirmed 0.144 wl.created -0.259 wl.cron -0.128 wl.current -0.099
wl.decision 0.38 wl.expected -0.238 wl.from 0.13 wl.heartbeat -0.156 wl.in 0.211 wl.issue 0.155 wl.lesson 0.657
wl.location 0.18 wl.model 0.233 wl.needed -0.141 wl.new 0.214 wl.next -0.163 wl.pattern 0.26 wl.pending -0.135
wl.recommendation -0.157 wl.repo 0.183 wl.review -0.15 wl.root 0.364 wl.rule 0.211 wl.session -0.084
wl.solution 0.287 wl.source -0.291 wl.status -0.266 wl.step -0.161 wl.strategy 0.138 wl.task -0.094 wl.time -0.177
wl.update 0.176 wl.user 0.162 wl.verification -0.128 wl.working 0.175 wl.文件 0.163 wl.时间 -0.102 wl.检查 0.101
wl.状态 -0.094 wl.用户 0.169
"""
"""Feature and weight in turn; ``w.`` word of the text, ``wl.`` of its label, ``wh.`` of its heading."""


def _parse() -> dict[str, float]:
    fields = _TABLE.split()
    return {name: float(weight) for name, weight in zip(fields[::2], fields[1::2], strict=True)}


WORD_WEIGHTS = _parse()
