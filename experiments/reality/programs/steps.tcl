# Runs the steps of a job, each in a process of its own: steps.tcl poll|wait STEPS
# A step is started in the background, and its result looked for each 200 ms; or it is waited for.
lassign $argv mode steps
set total 0
for {set step 0} {$step < $steps} {incr step} {
    file delete part
    set work "gzip -nc prose > part.tmp && mv part.tmp part"
    if {$mode eq "wait"} {
        exec sh -c $work
    } else {
        exec sh -c $work &
        while {![file exists part]} {after 200}
    }
    incr total [file size part]
}
puts "$steps steps, $total bytes"
